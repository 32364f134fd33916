package io.scalegate.spark.settings

/** When a window is given in Real-Time Mode. */
sealed abstract class WindowEmission(val name: String) {
  override def toString: String = name
}

object WindowEmission {

  /** Once, when all sources have passed its end. */
  case object Final extends WindowEmission("final")

  /** Whenever rows of it have come. */
  case object Update extends WindowEmission("update")

  val all: Seq[WindowEmission] = Seq(Final, Update)

  def find(name: String): Option[WindowEmission] = all.find(_.name.equalsIgnoreCase(name))
}
