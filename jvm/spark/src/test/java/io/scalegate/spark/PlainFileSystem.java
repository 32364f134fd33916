package io.scalegate.spark;

import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.permission.FsPermission;

/**
 * Hadoop's local files with the permissions that the system gives them. To set others, Hadoop starts a process for each
 * file where it has no native library: nearly 10,000 in the windows' streams alone, a fifth of their processor time.
 * Java, so that Python's tests can compile it too.
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
