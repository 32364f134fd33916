package io.scalegate.spark.crash

import scala.util.Try

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.scalegate.{SpillableRows, StreamAccess}
import org.apache.spark.sql.streaming.StreamingQueryException
import org.apache.spark.unsafe.Platform
import org.scalatest.Assertion

import io.scalegate.BoundedWait
import io.scalegate.spark.join.stream.{Event, StreamingJoinSuite}

/** Queries whose disk is full: they fail with the system's error, let go of their files, and with room again give all
  * rows once. One case of each kind; with `SCALEGATE_SOAK` the disk ends at many places.
  */
final class FullDiskSuite extends StreamingJoinSuite {
  private lazy val local = new SmallDisk(newDirectory(), 400)

  override protected def settings: Map[String, String] = super.settings ++ Map(
    "spark.local.dir" -> local.at.toString,
    "spark.testing.memory" -> (40L << 20).toString,
    "spark.testing.reservedMemory" -> "0",
    "spark.sql.autoBroadcastJoinThreshold" -> "-1",
    "spark.sql.adaptive.enabled" -> "false",
    // Rows take the room that they have in memory.
    "spark.shuffle.compress" -> "false",
    "spark.shuffle.spill.compress" -> "false"
  )

  override protected def afterAll(): Unit = {
    local.makeRoom()
    spark.stop()
    assert(local.unmount(), local.openFiles)
    super.afterAll()
  }

  private def isFull(e: Throwable) =
    causes(e).exists(_.toString.contains("No space left on device"))

  /** All rows of a key are in one window, which does not fit into memory. */
  private def hotKey(width: Int) = {
    val rows =
      s"SELECT 1 AS k, id, repeat(char(97 + id % 26), $width) AS pad FROM range(0, 300, 1, 1)"
    s"SELECT a.id, b.id FROM ($rows) a JOIN ($rows) b ON a.k = b.k AND abs(a.id - b.id) <= 100000 " +
      "AND (a.id * 31 + b.id) % 97 = 0 AND substr(a.pad, 1, 1) >= substr(b.pad, 1, 1)"
  }

  private def waitFor(what: String)(left: => Seq[String]): Assertion = {
    try BoundedWait.until(what)(left.isEmpty)
    catch { case e: AssertionError => throw new AssertionError(s"left: $left", e) }
    succeed
  }

  test("rows that a task keeps on a full disk go with the task, and so does their file") {
    assume(local.isMounted, "no disk can be mounted here")
    local.fill(1L << 20)
    val task = spark.sparkContext.parallelize(Seq(1), 1)
    val e = intercept[Exception](task.foreach(_ => FullDiskSuite.keepRows()))
    assert(isFull(e), e)
    waitFor("files that are let go")(local.files.map(_.getName).filter(_ != "filler"))
    waitFor("files that are closed")(local.openFiles)
    local.makeRoom()
  }

  private val rooms = if (isSoak) 0 to 160 by 20 else Seq(60)

  for (room <- rooms)
    test(s"a spill that finds the disk full fails the query alone: $room MB are free") {
      assume(local.isMounted, "no disk can be mounted here")
      val expected = plainSpark(rowsOf(spark.sql(hotKey(1))))
      assert(windowJoins(spark.sql(hotKey(130000))).nonEmpty)
      local.fill(room.toLong << 20)
      val result = Try(rowsOf(spark.sql(hotKey(130000))))
      result.failed.foreach(e => assert(isFull(e), e))
      result.foreach(rows => assert(rows == expected))
      if (!isSoak) assert(result.isFailure)
      local.makeRoom()
      waitFor("files that are closed")(local.openFiles)
      assert(rowsOf(spark.sql(hotKey(130000))) == expected)
      System.gc() // what a query has exchanged goes with it
    }

  private val stores = if (isSoak) CrashStore.All else CrashStore.All.take(1)
  private val pages = if (isSoak) 0 to 60 by 4 else Seq(5)

  for {
    store <- stores
    free <- pages
  } test(s"a checkpoint whose disk is full costs no row: $free pages are free, ${store.name}") {
    assume(local.isMounted, "no disk can be mounted here")
    val disk = new SmallDisk(newDirectory(), 16)
    try withSettings(store.all: _*)(assertGoesOn(disk, free * 4096L))
    finally BoundedWait.until("files that are closed") {
        System.gc() // which closes what Hadoop leaves open when it cannot write a file's last bytes
        disk.unmount()
      }
  }

  private def assertGoesOn(disk: SmallDisk, room: Long): Assertion = {
    val directory = disk.at.resolve("checkpoint")
    val run = new Running(query, checkpoint = directory)
    var (l, r) = (Seq.empty[Event], Seq.empty[Event])
    def add(i: Int): Unit = {
      val rows = (Seq(at(10 + i / 4.0, i.toLong, i % 7)), Seq(at(10 + i / 4.0, 100L + i, i % 5)))
      l ++= rows._1
      r ++= rows._2
      run.add(rows._1, rows._2)
      ()
    }
    def failure(i: Int) =
      try { add(i); None }
      catch { case e: StreamingQueryException => Some(e) }
    try {
      run.start()
      (1 to 2).foreach(add)
      disk.fill(room)
      val e = Iterator.range(3, 100).map(failure).collectFirst { case Some(e) => e }
      assert(e.exists(isFull), e)
      disk.makeRoom()
      run.stop().start()
      add(200)
      run.add(Seq(at(500, 999)), Seq(at(500, 1999)))
      l :+= at(500, 999)
      r :+= at(500, 1999)
      assert(run.otherTheSecondTime.isEmpty)
      assert(run.all == batchResult(query, l, r))
    } finally {
      run.stop()
      StreamAccess.unloadStores(directory.toString)
    }
  }
}

private object FullDiskSuite {
  def keepRows(): Unit = {
    // Smaller than the buffer, which so cannot be written at the end either.
    val bytes = new Array[Byte](1000)
    val row = new UnsafeRow(1)
    row.pointTo(bytes, Platform.BYTE_ARRAY_OFFSET.toLong, bytes.length)
    val rows = new SpillableRows(1)
    while (true) rows.add(row)
  }
}
