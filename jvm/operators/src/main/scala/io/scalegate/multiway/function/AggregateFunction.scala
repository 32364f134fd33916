package io.scalegate.multiway.function

/** What an aggregate computes of the tuples of a window (multiway aggregation, §2: `F`), as a
  * fold whose states can be merged.
  *
  * A state belongs to one caller at a time. `add` and `merge` may change their first argument and
  * return it, or return another state; the caller goes on with what they return. They leave
  * everything else as it is, and nothing that happens to the returned state later may show in
  * `merge`'s second argument.
  *
  * The laws, with `==` for "has the same result": `merge(create(), s) == s == merge(s,
  * create())`; `merge` is associative; adding tuples to `a`, then others to `b`, and merging the
  * two is adding all to `a`. A function that is not order-sensitive gives the same result for the
  * tuples in any order.
  *
  * @tparam T
  *   the tuples
  * @tparam S
  *   the state
  * @tparam R
  *   the result
  */
trait AggregateFunction[-T, S <: AnyRef, +R] {

  /** For messages: "first". */
  def name: String

  /** Whether the result depends on the order of the tuples. Then tuples are added, and states
    * merged, in the tuples' total order.
    */
  def isOrderSensitive: Boolean = false

  /** Whether results depend in their last digits on how tuples were added and states merged,
    * though not on the order of tuples otherwise: floating-point arithmetic that rounds. Then a
    * design adds and merges in the same way in every run, which may take it more work.
    */
  def isRounding: Boolean = false

  /** The state of no tuples, a new one. */
  def create(): S

  /** The state with one tuple more. A tuple adds the same to any state, whenever it is added. */
  def add(state: S, tuple: T): S

  /** Adds the tuple to each of the states from `from` until `until`, null being that of no
    * tuples, and puts what that returns in their places.
    */
  private[scalegate] def addToEach(
      states: Array[AnyRef],
      from: Int,
      until: Int,
      tuple: T
  ): Unit = {
    var i = from
    while (i < until) {
      val state = states(i)
      val added = add(if (state == null) create() else state.asInstanceOf[S], tuple)
      if (added ne state) states(i) = added
      i += 1
    }
  }

  /** How states are kept for windows next to each other, of which so many hold a time. */
  private[scalegate] def layout(overlap: Long): StateLayout[T, _ <: LaneStates[T]] =
    StateLayout.forFunction(this, overlap)

  /** The state of the tuples of `a`, then those of `b`. */
  def merge(a: S, b: S): S

  /** The result of the state, which is left as it is, and which later changes of the state do not
    * change.
    */
  def result(state: S): R
}

/** A function of those tuples that a predicate accepts. The predicate may cost more than all the
  * rest, so a design may ask it once for all windows of a tuple, and add the tuple with
  * [[ofAccepted]] if it says yes.
  */
private[scalegate] trait Selective[-T, S <: AnyRef, +R] {
  def accepts(tuple: T): Boolean

  /** The same function of the same states, for tuples that are accepted. */
  def ofAccepted: AggregateFunction[T, S, R]
}
