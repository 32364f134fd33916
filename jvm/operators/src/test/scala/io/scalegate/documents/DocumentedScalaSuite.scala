package io.scalegate.documents

import org.scalatest.funsuite.AnyFunSuite

/** The documents' blocks of Scala, of which the build makes a source, run as written. */
final class DocumentedScalaSuite extends AnyFunSuite {
  WindowsPage.blocks.foreach { case (line, run) =>
    test(s"windows.md, line $line")(run())
  }
}
