package io.scalegate.aggregate

class MQSuite extends AggregateContract(MQ)

class MQLFSuite extends AggregateContract(MQLF)

class TuMLSCSuite extends AggregateContract(TuMLSC)

class TuMLMCOfOneSuite extends AggregateContract(new TuMLMC(1), cases = 60)

class TuMLMCSuite extends AggregateContract(new TuMLMC(3))

class WiMLSuite extends AggregateContract(WiML, ordered = false)

class PanesOverTuMLSCSuite extends AggregateContract(new PaneAggregate(TuMLSC))

class PanesOverTuMLMCSuite extends AggregateContract(new PaneAggregate(new TuMLMC(2)), cases = 80)

class PanesOverWiMLSuite extends AggregateContract(new PaneAggregate(WiML), ordered = false)
