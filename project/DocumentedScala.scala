import sbt._

/** The blocks of Scala on a page of the documents, as a source that tests compile and run. */
object DocumentedScala {
  private val Block = "(?ms)^```scala\n(.*?)^```$".r

  /** Writes an object with the blocks of a page, each by the line that it begins at. */
  def source(page: File, target: File): File = {
    val text = IO.read(page)
    val blocks = Block.findAllMatchIn(text).map { block =>
      val line = text.take(block.start(1)).count(_ == '\n') + 1
      s"    $line -> (() => {\n${block.group(1)}\n    })"
    }.toSeq
    if (blocks.isEmpty) sys.error(s"$page has no block of Scala: leave it out of the build")
    val file = target / s"${page.base}.scala"
    IO.write(
      file,
      s"""package io.scalegate.documents
         |
         |import io.scalegate.multiway._
         |import io.scalegate.multiway.design._
         |import io.scalegate.multiway.function._
         |import io.scalegate.stream._
         |
         |@annotation.nowarn
         |object ${page.base.capitalize}Page extends PageNames {
         |  def blocks: Seq[(Int, () => Unit)] = Seq(
         |${blocks.mkString(",\n")}
         |  )
         |}
         |""".stripMargin
    )
    file
  }
}
