package io.scalegate.aggregate

class MQSuite extends AggregateContract(MQ)

class MQLFSuite extends AggregateContract(MQLF)

class TuMLSCSuite extends AggregateContract(TuMLSC)

class TuMLMCOfOneSuite extends AggregateContract(new TuMLMC(1), cases = 60)

class TuMLMCSuite extends AggregateContract(new TuMLMC(3))

class WiMLSuite extends AggregateContract(WiML, ordered = false)

