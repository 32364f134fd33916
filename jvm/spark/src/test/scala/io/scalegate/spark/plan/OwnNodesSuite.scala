package io.scalegate.spark.plan

import java.lang.reflect.{Modifier, ParameterizedType, Type, WildcardType}
import java.nio.file.{FileSystems, Files, Path, Paths}

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.scalegate.stream.HostedExec
import org.scalatest.funsuite.AnyFunSuite

import io.scalegate.spark.join.batch.WindowJoinExec
import io.scalegate.spark.join.python.PythonJoin
import io.scalegate.spark.join.stream.plan.{CheckedStreamingJoin, StreamingWindowJoin}
import io.scalegate.spark.window.TimeWindows
import io.scalegate.spark.window.slide.PaneWindowsExec

/** What holds of all nodes of this package, found among its compiled classes: so of the next one too. */
final class OwnNodesSuite extends AnyFunSuite {

  /** The classes of the jar or directory that a class of ours is in. */
  private lazy val ours: Seq[Class[_]] = {
    val location = Paths.get(classOf[OwnNode].getProtectionDomain.getCodeSource.getLocation.toURI)
    if (Files.isDirectory(location)) classesIn(location)
    else Using.resource(FileSystems.newFileSystem(location))(f => classesIn(f.getPath("/")))
  }

  private def classesIn(root: Path): Seq[Class[_]] = Using.resource(Files.walk(root)) { files =>
    files.iterator.asScala
      .map(root.relativize(_).toString.replace('\\', '/'))
      .filter(f => f.endsWith(".class") && !f.contains("META-INF"))
      .map(_.stripSuffix(".class").replace('/', '.'))
      .filter(n => n.startsWith("io.scalegate.spark.") || n.startsWith("org.apache.spark."))
      .map(Class.forName(_, false, getClass.getClassLoader))
      .toSeq
  }

  private def concrete(kind: Class[_]): Seq[Class[_]] =
    ours.filter(c => kind.isAssignableFrom(c) && !Modifier.isAbstract(c.getModifiers))

  test("each logical node says by itself what the optimizer reads of it") {
    val nodes = concrete(classOf[LogicalPlan])
    assert(nodes.contains(classOf[TimeWindows]))
    assert(nodes.filterNot(classOf[OwnNode].isAssignableFrom) == Nil)
  }

  test("what joins inputs at rest has a mark above it, by which adaptive execution asks") {
    val nodes = concrete(classOf[OwnNode]).filter(
      _.getConstructors.head.getParameterTypes.count(_ == classOf[LogicalPlan]) > 1
    )
    val ofStreams = Set(classOf[CheckedStreamingJoin], classOf[StreamingWindowJoin])
    val madeOthersBefore = Set(classOf[PythonJoin])
    assert(nodes.filterNot(classOf[InTwoSteps].isAssignableFrom).toSet ==
      ofStreams ++ madeOthersBefore)
  }

  /** Operators of streams have their own way, see [[HostedExec]]. */
  test("no physical node holds an expression where Spark's rules do not find it") {
    val nodes = concrete(classOf[SparkPlan]).filterNot(classOf[HostedExec].isAssignableFrom)
    assert(Seq(classOf[WindowJoinExec], classOf[PaneWindowsExec]).forall(nodes.contains(_)))
    val hidden = for {
      node <- nodes
      field <- node.getDeclaredFields.toSeq
      if !Modifier.isTransient(field.getModifiers) && !Modifier.isStatic(field.getModifiers)
      if !field.getName.contains("$")
      within <- hiding(field.getGenericType, Nil)
    } yield s"${node.getSimpleName}.${field.getName}: ${within.mkString(" in ")}"
    assert(hidden == Nil)
  }

  /** A trait that extends a class is an interface to Java, which knows nothing of the class. */
  private def isExpression(kind: Class[_]): Boolean =
    classOf[Expression].isAssignableFrom(kind) ||
      kind.isInterface && kind.getName.contains("scalegate") && {
        val kinds = concrete(kind)
        kinds.nonEmpty && kinds.forall(classOf[Expression].isAssignableFrom(_))
      }

  /** The classes of ours on the way to an expression that a value of this type may hold, if there are any. */
  private def hiding(found: Type, way: List[Class[_]]): Option[List[String]] = found match {
    case p: ParameterizedType =>
      p.getActualTypeArguments.iterator.flatMap(hiding(_, way)).nextOption()
    case w: WildcardType => w.getUpperBounds.iterator.flatMap(hiding(_, way)).nextOption()
    case c: Class[_] if isExpression(c) =>
      Option.when(way.nonEmpty)(c.getSimpleName :: way.map(_.getSimpleName))
    case c: Class[_] if way.contains(c) || classOf[SparkPlan].isAssignableFrom(c) => None
    case c: Class[_] if c.getName.contains("scalegate") =>
      val kinds = if (Modifier.isAbstract(c.getModifiers)) concrete(c) else Seq(c)
      kinds.iterator
        .flatMap(k => k.getDeclaredFields.iterator.map(f => (k, f)))
        .filterNot { case (_, f) => Modifier.isStatic(f.getModifiers) }
        .flatMap { case (k, f) => hiding(f.getGenericType, k :: way) }
        .nextOption()
    case _ => None
  }
}
