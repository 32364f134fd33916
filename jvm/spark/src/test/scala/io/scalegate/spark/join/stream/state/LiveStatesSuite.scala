package io.scalegate.spark.join.stream.state

import org.scalatest.funsuite.AnyFunSuite

/** Which versions of a partition's state are found again. */
final class LiveStatesSuite extends AnyFunSuite {
  private val states = Seq.fill(4)(new JoinState(null, null, 0))

  test("a state is found by its version and checkpoint, and the one before it with it") {
    val live = new LiveStates[String]
    live.put("p", 1, None, states(0))
    live.put("p", 2, None, states(1))
    assert(
      live.get("p", 1, None).contains(states(0)) && live.get("p", 2, None).contains(states(1))
    )
    live.put("p", 3, None, states(2))
    assert(live.get("p", 1, None).isEmpty && live.get("p", 2, None).contains(states(1)))
    assert(live.get("q", 2, None).isEmpty)
  }

  test("two attempts at a batch leave a state each, by the names of their checkpoints") {
    val live = new LiveStates[String]
    live.put("p", 1, Some("a"), states(0))
    live.put("p", 2, Some("b"), states(1))
    live.put("p", 2, Some("c"), states(2))
    assert(live.get("p", 2, Some("b")).contains(states(1)))
    assert(live.get("p", 2, Some("c")).contains(states(2)))
    assert(live.get("p", 2, None).isEmpty && live.get("p", 1, Some("a")).contains(states(0)))
  }

  test("a batch that runs again takes the place of its first run") {
    val live = new LiveStates[String]
    live.put("p", 1, None, states(0))
    live.put("p", 2, None, states(1))
    live.put("p", 2, None, states(3))
    assert(
      live.get("p", 2, None).contains(states(3)) && live.get("p", 1, None).contains(states(0))
    )
  }

  test("partitions that are not wanted any more are let go of") {
    val live = new LiveStates[String]
    live.put("p", 1, None, states(0))
    live.put("q", 1, None, states(1))
    live.retain(_ == "q")
    assert(live.size == 1 && live.get("q", 1, None).contains(states(1)))
  }
}
