package io.scalegate.baseline

import io.scalegate.baseline.handshake.{HandshakeJoin, LowLatencyHandshakeJoin}
import io.scalegate.index.{BPlusTreeIndex, MergePolicy, PimTree}
import io.scalegate.join.JoinStrategyContract

class CellJoin2Suite extends JoinStrategyContract(new CellJoin(2), cases = 10)
class CellJoin3Suite extends JoinStrategyContract(new CellJoin(3, batch = 3), cases = 10)

class RoundRobinIndexJoin2Suite
    extends JoinStrategyContract(
      new RoundRobinIndexJoin(2, _ => new BPlusTreeIndex),
      comparesAll = false,
      cases = 10
    )
class RoundRobinIndexJoin3Suite
    extends JoinStrategyContract(
      new RoundRobinIndexJoin(3, w => new PimTree(MergePolicy(w, 0.5)), timeWindowRows = 24),
      comparesAll = false,
      cases = 10
    )

class SplitJoin2Suite extends JoinStrategyContract(new SplitJoin(2), cases = 10)
class SplitJoin3Suite
    extends JoinStrategyContract(new SplitJoin(3, precision = 4), cases = 10, ordered = false)

class HandshakeJoin2Suite extends HandshakeJoinContract(2)
class HandshakeJoin3Suite extends HandshakeJoinContract(3)

/** A pair waits until its tuples have met, in whatever order, and every node stores each tuple. */
abstract class HandshakeJoinContract(threads: Int)
    extends JoinStrategyContract(
      new HandshakeJoin(threads),
      cases = 10,
      ordered = false,
      prompt = false,
      evenly = false,
      passes = threads
    )

class LowLatencyHandshakeJoin2Suite extends LowLatencyHandshakeJoinContract(2)
class LowLatencyHandshakeJoin3Suite extends LowLatencyHandshakeJoinContract(3)

/** Where two tuples cross decides which node compares them. */
abstract class LowLatencyHandshakeJoinContract(threads: Int)
    extends JoinStrategyContract(
      new LowLatencyHandshakeJoin(threads),
      cases = 10,
      evenly = false
    )

class ScaleOij2Suite extends ScaleOijContract(2)
class ScaleOij3Suite extends ScaleOijContract(3)

abstract class ScaleOijContract(threads: Int)
    extends JoinStrategyContract(new ScaleOij(threads), comparesAll = false, cases = 10)
