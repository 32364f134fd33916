package io.scalegate.gate

class ScaleGateSuite extends GateContract with ScaleGateFixture

class ScaleGateConcurrencySuite extends GateConcurrencyContract with ScaleGateFixture
