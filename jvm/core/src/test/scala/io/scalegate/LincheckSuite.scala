package io.scalegate

import java.util.{List => JList}

import scala.jdk.CollectionConverters._

import org.jetbrains.kotlinx.lincheck.execution.{ExecutionResult, ExecutionScenario}
import org.jetbrains.kotlinx.lincheck.strategy.managed.ManagedStrategyGuaranteeKt.forClasses
import org.jetbrains.kotlinx.lincheck.strategy.managed.modelchecking.ModelCheckingOptions
import org.jetbrains.kotlinx.lincheck.strategy.stress.StressOptions
import org.jetbrains.kotlinx.lincheck.verifier.CachedVerifier
import org.jetbrains.kotlinx.lincheck.verifier.linearizability.LinearizabilityVerifier
import org.jetbrains.kotlinx.lincheck.{Actor, LinChecker, Options, Result, ValueResult}
import org.scalatest.funsuite.AnyFunSuite

import io.scalegate.tags.Concurrency

/** Compares shared objects with their definitions over generated scenarios of three threads: in every run of the
  * tests a quarter of the scenarios that a suite names, and half of the runs of each. With `SCALEGATE_SOAK=n`, as
  * `make soak` sets it, n times as many scenarios and twenty times as many runs of each.
  */
@Concurrency
abstract class LincheckSuite extends AnyFunSuite {

  /** Runs each scenario on real threads. */
  protected def stress(
      model: Class[_],
      definition: Class[_],
      scenarios: Int,
      runs: Int,
      operations: Int = 3
  ): Unit = {
    val options = new StressOptions().invocationsPerIteration(LincheckSuite.runs(runs))
    check(options, model, definition, scenarios, operations)
  }

  /** Tries the interleavings of each scenario one by one.
    *
    * @param isLockFree
    *   whether an operation must end when it alone goes on, wherever the others stand; those that a
    *   model marks as blocking need not
    * @param atomic
    *   classes whose methods are one step each: what is guarded, or not written any more
    */
  protected def explore(
      model: Class[_],
      definition: Class[_],
      scenarios: Int,
      runs: Int,
      isLockFree: Boolean,
      operations: Int = 3,
      atomic: Seq[Class[_]] = Nil
  ): Unit = {
    val options = new ModelCheckingOptions()
      .invocationsPerIteration(LincheckSuite.runs(runs))
      .checkObstructionFreedom(isLockFree)
    if (isLockFree) options.hangingDetectionThreshold(LincheckSuite.MostVisits)
    if (atomic.nonEmpty)
      options.addGuarantee(forClasses(atomic.map(_.getName): _*).allMethods().ignore())
    check(options, model, definition, scenarios, operations)
  }

  private def check[O <: Options[O, _]](
      options: O,
      model: Class[_],
      definition: Class[_],
      scenarios: Int,
      operations: Int
  ): Unit =
    LinChecker.check(
      model,
      options
        .iterations(LincheckSuite.scenarios(scenarios))
        .threads(3)
        .actorsBefore(2)
        .actorsPerThread(operations)
        .actorsAfter(2)
        .verifier(classOf[OpenResults])
        .sequentialSpecification(definition)
        .`invocationTimeout$lincheck`(LincheckSuite.TimeoutMillis)
    )
}

object LincheckSuite {

  /** A run that takes longer has hung. Lincheck's own limit of ten seconds is too short for the first
    * run on a busy machine, which transforms every class that it meets.
    */
  private val TimeoutMillis = 120000L

  /** A thread that comes to one place in the code more often, and no other thread runs meanwhile, waits for one: where
    * no operation may wait, that is a failure. Lincheck's own limit of 101 is too low for what a model does when a
    * scenario is over: a join whose last results are taken one by one passes its checks as often.
    */
  private val MostVisits = 2000

  private def scenarios(sample: Int): Int =
    if (Sample.isSoak) sample * Sample.soak else math.max(1, sample / 4)
  private def runs(sample: Int): Int = if (Sample.isSoak) 20 * sample else math.max(1, sample / 2)
}

/** Linearizability with results that a definition leaves open: a definition that has a method
  * `read_none` decides there whether the operation `read` may have given `none`, by giving that
  * too. All other results are those of the operation itself.
  */
final class OpenResults(definition: Class[_]) extends CachedVerifier {
  private val verifier = new LinearizabilityVerifier(definition)
  private val open = definition.getMethods.map(m => m.getName -> m).toMap

  def verifyResultsImpl(scenario: ExecutionScenario, results: ExecutionResult): Boolean =
    verifier.verifyResults(
      new ExecutionScenario(
        resolve(scenario.getInitExecution, results.getInitResults),
        scenario.getParallelExecution.asScala
          .zip(results.getParallelResultsWithClock.asScala)
          .map { case (actors, given) => resolve(actors, given.asScala.map(_.getResult).asJava) }
          .asJava,
        resolve(scenario.getPostExecution, results.getPostResults),
        null
      ),
      results
    )

  private def resolve(actors: JList[Actor], results: JList[_ <: Result]): JList[Actor] =
    actors.asScala.zip(results.asScala).map { case (actor, result) =>
      val name = result match {
        case value: ValueResult => s"${actor.getMethod.getName}_${value.getValue}"
        case _ => ""
      }
      open.get(name).fold(actor)(new Actor(_, actor.getArguments))
    }.asJava
}
