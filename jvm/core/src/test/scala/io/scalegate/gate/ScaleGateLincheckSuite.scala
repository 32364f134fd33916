package io.scalegate.gate

import io.scalegate.LincheckSuite

/** ScaleGate, and the T-Gate over it, against definitions of some lines. Every operation is
  * lock-free but those that add or remove a reader, and that is checked with the results.
  */
class ScaleGateLincheckSuite extends LincheckSuite {
  for (
    (name, gate, definition) <- Seq[(String, Class[_], Class[_])](
      ("a gate", classOf[ScaleGateModel], classOf[GateDefinition]),
      ("a T-Gate", classOf[TGateModel], classOf[GateDefinition]),
      ("a gate whose sources come", classOf[GateOfComingSources], classOf[ComingSources]),
      ("a full gate whose readers come", classOf[GateOfComingReaders], classOf[ComingReaders])
    )
  ) {
    test(s"the operations of $name are linearizable under stress") {
      stress(gate, definition, scenarios = 25, runs = 40)
    }

    test(s"the operations of $name are linearizable and lock-free in every interleaving tried") {
      explore(gate, definition, scenarios = 4, runs = 40, isLockFree = true)
    }
  }
}
