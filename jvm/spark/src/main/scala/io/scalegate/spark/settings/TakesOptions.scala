package io.scalegate.spark.settings

/** What a hint or a setting names, with options in parentheses behind it or without. */
trait TakesOptions {
  def name: String

  /** What may be said of it beside its name. */
  def takes: Seq[OperatorOption[_]]
}

object TakesOptions {
  private[this] val Text = """\s*([\w-]+)\s*(?:\((.*)\))?\s*""".r

  /** A name, and what stands between the parentheses behind it, if there are any. */
  def split(text: String): Option[(String, Option[String])] = text match {
    case Text(name, options) => Some(name -> Option(options))
    case _ => None
  }
}
