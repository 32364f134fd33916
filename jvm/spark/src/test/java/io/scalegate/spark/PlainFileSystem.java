package io.scalegate.spark;

import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.permission.FsPermission;

/**
 * Hadoop's local files with the permissions that the system gives them. To set others, Hadoop starts a process for each
 * file where it has no native library: about ten in a small batch of a stream, and half of its time. Java, so that
 * Python's tests can compile it too.
 */
public class PlainFileSystem extends LocalFileSystem {
  public PlainFileSystem() {
    super(new PlainFiles());
  }

  private static final class PlainFiles extends RawLocalFileSystem {
    @Override
    public void setPermission(Path file, FsPermission permission) {}
  }
}
