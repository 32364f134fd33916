package io.scalegate.join.baseline

import io.scalegate.index.{BPlusTreeIndex, MergePolicy, PimTree}
import io.scalegate.join.JoinStrategyContract

class CellJoin2Suite extends JoinStrategyContract(new CellJoin(2), cases = 15)
class CellJoin3Suite extends JoinStrategyContract(new CellJoin(3, batch = 1), cases = 15)

class RoundRobinIndexJoin2Suite
    extends JoinStrategyContract(
      new RoundRobinIndexJoin(2, _ => new BPlusTreeIndex),
      comparesAll = false,
      cases = 15
    )
class RoundRobinIndexJoin3Suite
    extends JoinStrategyContract(
      new RoundRobinIndexJoin(3, w => new PimTree(MergePolicy(w, 0.5)), timeWindowRows = 24),
      comparesAll = false,
      cases = 15
    )
