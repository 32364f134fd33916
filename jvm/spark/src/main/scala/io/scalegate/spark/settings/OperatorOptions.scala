package io.scalegate.spark.settings

/** What a user has said of an operator beside its name.
  *
  * @param said
  *   with the text of each value
  */
final case class OperatorOptions private (said: Seq[(OperatorOption[_], String)]) {
  def get[A](option: OperatorOption[A]): Option[A] =
    said.collectFirst { case (`option`, text) => text }.flatMap(option.read)

  def getOrElse[A](option: OperatorOption[A], unlessSaid: => A): A =
    get(option).getOrElse(unlessSaid)

  /** One unless it says otherwise. */
  def threads: Int =
    get(OperatorOption.Layout).fold(getOrElse(OperatorOption.Threads, 1))(_.workers)

  /** With threads, where it says nothing of them. */
  def onThreads(unlessSaid: => Int): OperatorOptions =
    if (tells(OperatorOption.Threads) || tells(OperatorOption.Layout)) this
    else OperatorOptions(said :+ (OperatorOption.Threads -> unlessSaid.toString))

  def tells(option: OperatorOption[_]): Boolean = said.exists(_._1 == option)

  override def toString: String = OperatorOptions.text(said)
}

object OperatorOptions {
  val None: OperatorOptions = OperatorOptions(Nil)

  /** As it is written between parentheses. */
  def text(said: Seq[(OperatorOption[_], String)]): String =
    said.map { case (option, value) => s"$option=$value" }.mkString(", ")

  private[this] val Said = """\s*(\w+)\s*=\s*([^\s=]+)\s*""".r

  /** What stands between the parentheses after a name, if there are any.
    *
    * @throws java.lang.IllegalArgumentException
    *   for an option that the operator has not, one that is said twice, and a value that is none
    */
  def parse(operator: TakesOptions, text: Option[String]): OperatorOptions =
    text.fold(None)(parse(operator, _))

  private[this] def parse(operator: TakesOptions, text: String): OperatorOptions = {
    val said = text.split(",", -1).toSeq.map {
      case Said(name, value) =>
        val option = operator.takes.find(_.name == name)
          .getOrElse(throw Errors.operatorOption(operator, name))
        if (option.read(value).isEmpty) throw Errors.operatorValue(operator, option, value)
        option -> value
      case other => throw Errors.operatorOption(operator, other.trim)
    }
    val options = said.map(_._1)
    for (twice <- options.diff(options.distinct).headOption)
      throw Errors.operatorOptionTwice(operator, twice)
    if (options.contains(OperatorOption.Layout) && options.contains(OperatorOption.Threads))
      throw Errors.operatorLayoutAndThreads(operator)
    OperatorOptions(said)
  }
}
