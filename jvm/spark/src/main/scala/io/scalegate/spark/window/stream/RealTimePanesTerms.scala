package io.scalegate.spark.window.stream

import io.scalegate.spark.settings.WindowEmission

/** What an aggregate in Real-Time Mode goes by beside its terms. Its input has columns more, which
  * [[io.scalegate.spark.window.stream.realtime.LivePartialsExec]] adds.
  *
  * @param idleNanos
  *   a source that has sent nothing for so long is not waited for; 0 if each is
  */
final case class RealTimePanesTerms(emission: WindowEmission, idleNanos: Long) {
  def describe: String = emission match {
    case WindowEmission.Final => "real time: each window when its sources have passed it"
    case WindowEmission.Update => "real time: each window as its rows come"
  }
}

object RealTimePanesTerms {

  /** Columns that the input has more. */
  val Columns = 6
}
