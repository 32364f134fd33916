package io.scalegate

import scala.jdk.CollectionConverters._

import com.tngtech.archunit.core.domain.{JavaClass, JavaClasses}
import com.tngtech.archunit.core.importer.{ClassFileImporter, ImportOption}
import com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices
import org.scalatest.funsuite.AnyFunSuite

/** The rules that `docs/architecture.md` gives for packages, of all classes of core, the operators and Spark's part. */
final class HouseSuite extends AnyFunSuite {
  private val core = "io.scalegate." + _
  private val rooms: JavaClasses = new ClassFileImporter()
    .withImportOption((location: com.tngtech.archunit.core.importer.Location) =>
      !location.contains("/test-classes/")
    )
    .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_ARCHIVES)
    .importPackages("io.scalegate", "org.apache.spark.sql.scalegate")

  /** Files are told by the types of their names: a file has one type that others see, named after it. */
  private def files(inPackage: Iterable[JavaClass]): Set[String] =
    inPackage.flatMap(c =>
      Option(c.getSource.orElse(null)).flatMap(s => Option(s.getFileName.orElse(null)))
    ).toSet

  test("all three parts are looked at") {
    assert(Seq("gate.ScaleGate", "indexjoin.IndexJoinQueue", "spark.ScaleGateExtensions")
      .map(core).filterNot(rooms.contain).isEmpty)
  }

  test("no package depends on itself through others") {
    slices().matching("(**)").should().beFreeOfCycles().check(rooms)
  }

  test("core and the operators know no Spark") {
    noClasses().that().resideOutsideOfPackages("io.scalegate.spark..", "org.apache.spark..")
      .should().dependOnClassesThat().resideInAnyPackage(
        "org.apache.spark..",
        "io.scalegate.spark.."
      )
      .check(rooms)
  }

  test("a package has at most 22 files") {
    val sizes = rooms.asScala.groupBy(_.getPackageName).map { case (name, in) =>
      name -> files(in).size
    }
    assert(sizes.size > 40 && sizes.filter(_._2 > 22).isEmpty)
  }
}
