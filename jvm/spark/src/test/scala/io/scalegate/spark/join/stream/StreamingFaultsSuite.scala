package io.scalegate.spark.join.stream

import java.io.{FilterOutputStream, IOException, OutputStream}
import java.sql.Timestamp

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.scalegate.TestStreams.{
  CancellableFSDataOutputStream,
  FileSystemBasedCheckpointFileManager
}
import org.apache.spark.sql.streaming.StreamingQueryException

import io.scalegate.tags.Faults

/** Streaming joins of sources that behave as they should not, on disks that do not either. */
@Faults
final class StreamingFaultsSuite extends StreamingJoinSuite {
  test(
    "a source whose clock jumps back loses the rows that are late, which are counted, and no other"
  ) {
    val run = new Running(query, delay = "1 second").start()
    try {
      run.add(Seq(at(100, 1)), Seq(at(100, 100)))
      for (i <- 1 to 3) run.add(Seq(at(40 + i, 10L + i)), Seq(at(100 + i / 10.0, 100L + i)))
      assert(run.dropped == 3 && run.metric("leftStateRows") == 1)
      run.add(Seq(at(101, 2)), Seq(at(120, 200)))
      run.add(Seq(at(120, 3)), Seq.empty)
      assert(run.all == (Seq.tabulate(4)(i => s"[1,10$i]") ++
        Seq.tabulate(4)(i => s"[2,10$i]") :+ "[3,200]").sorted)
    } finally run.stop()
  }

  test("a source that stalls holds back what waits for it, and nothing else; nothing is lost") {
    val run = new Running(query).start()
    try {
      run.add(Seq(at(10, 1), at(10, 2, x = 50)), Seq(at(10.5, 100)))
      assert(run.fresh() == Seq("[1,100]"))
      for (i <- 1 to 4) run.add(Seq(at(10 + 10 * i, 10L + i)), Seq.empty)
      assert(run.fresh().isEmpty && run.metric("leftStateRows") == 6)
      run.add(Seq.empty, Seq(at(20.5, 101)))
      assert(run.fresh() == Seq("[11,101]", "[2,null]"))
      run.add(Seq.empty, Seq(at(60, 102)))
      assert(run.fresh() == Seq(12, 13).map(i => s"[$i,null]"))
      assert(run.dropped == 0)
    } finally run.stop()
  }

  test("a watermark ahead of all data: everything after is late, and said to be") {
    val run = new Running(query).start()
    val end = Event(new Timestamp(Long.MaxValue / 1000 - 2), Some(1), Some(5), 9)
    try {
      run.add(Seq(at(10, 1)), Seq(at(10, 100)))
      run.add(Seq(end), Seq(end))
      run.add(Seq(at(11, 2)), Seq(at(11, 101)))
      run.add(Seq(at(12, 3), end), Seq(end.copy(id = 10)))
      assert(run.dropped == 5, "what is no later than the watermark is late")
      assert(run.all == Seq("[1,100]", "[9,9]"))
      assert(run.metric("leftStateRows") <= 2)
    } finally run.stop()
  }

  test(
    "a disk that is full at the commit fails the batch, and costs no row when there is room again"
  ) {
    withSettings(
      "spark.sql.streaming.checkpointFileManagerClass" -> classOf[LimitedDisk].getName
    ) {
      val run = new Running(query).start()
      try {
        run.add(Seq(at(10, 1), at(10, 2, x = 50)), Seq(at(10.5, 100)))
        LimitedDisk.isFull = true
        val e = run.fails(Seq(at(10.6, 3)), Seq(at(10.7, 101)))
        assert(causes(e).exists(_.toString.contains("No space left on device")))
        val again =
          intercept[StreamingQueryException](run.start().add(Seq(at(10.8, 4)), Seq.empty))
        assert(causes(again).exists(_.toString.contains("No space left on device")))
        LimitedDisk.isFull = false
        run.start().add(Seq(at(30, 5)), Seq(at(30, 102)))
        val pairs = for (a <- Seq(1, 3, 4); b <- Seq(100, 101)) yield s"[$a,$b]"
        assert(run.all == (pairs ++ Seq("[2,null]", "[5,102]")).sorted)
      } finally {
        LimitedDisk.isFull = false
        run.stop()
      }
    }
  }
}

/** Files of states that end early while the disk is full. */
final class LimitedDisk(path: Path, conf: Configuration)
    extends FileSystemBasedCheckpointFileManager(path, conf) {
  override def createAtomic(to: Path, overwrite: Boolean): CancellableFSDataOutputStream = {
    val file = super.createAtomic(to, overwrite)
    if (LimitedDisk.isFull && to.toString.contains("/state/")) new LimitedFile(file) else file
  }
}

object LimitedDisk {
  @volatile var isFull = false
}

final private class LimitedFile(file: CancellableFSDataOutputStream)
    extends CancellableFSDataOutputStream(new FullStream(file)) {
  def cancel(): Unit = file.cancel()
}

final private class FullStream(to: OutputStream) extends FilterOutputStream(to) {
  override def write(byte: Int): Unit = throw new IOException("No space left on device")
}
