"""The papers whose figures are drawn from the results, each in a module of its own."""

from __future__ import annotations

from joinbench.papers.dp_join import DP_JOIN, DP_RATES
from joinbench.papers.pim_parameters import PIM_PARAMETERS
from joinbench.papers.pim_plane import PIM_PLANE
from joinbench.papers.pim_self import PIM_SELF
from joinbench.papers.pim_tree import PIM_TREE
from joinbench.papers.ppoij import (
    BATCHES_OF_PPOIJ,
    EMITTERS_OF_PPOIJ,
    LATENCY_OF_PPOIJ,
    PPOIJ,
)
from joinbench.papers.scalejoin import SCALEJOIN
from joinbench.papers.t_gate import T_GATE
from joinbench.papers.t_gate_operations import T_GATE_OPERATIONS

PAPERS = (
    SCALEJOIN,
    T_GATE,
    T_GATE_OPERATIONS,
    PIM_TREE,
    PIM_PARAMETERS,
    PIM_SELF,
    PIM_PLANE,
    DP_JOIN,
    DP_RATES,
    PPOIJ,
    EMITTERS_OF_PPOIJ,
    BATCHES_OF_PPOIJ,
    LATENCY_OF_PPOIJ,
)
