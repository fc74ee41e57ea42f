/// A property of a transfer that a rule can set.
struct RuledSetting: Sendable {
  let property: ConfiguredProperty
  /// Whether the property still has its default.
  ///
  /// - Parameter standard: a transfer for which nothing was chosen.
  let isStandard: @Sendable (_ spec: TransferSpec, _ standard: TransferSpec) -> Bool
  let reset: @Sendable (inout TransferSpec, _ standard: TransferSpec) -> Void
  /// Sets the property. Returns whether the rule has a value for it.
  let apply: @Sendable (TransferRule.Effects, inout TransferSpec) -> Bool

  /// All of them. Another effect of rules needs a line here and one in `ConfiguredProperty`,
  /// `TransferRule.Effects` and `RuleKey`.
  static let all = [
    RuledSetting(.directory, \.directory, to: \.directory),
    RuledSetting(.title, \.title, to: \.title),
    RuledSetting(.limit, \.limitBytesPerSecond, to: \.limitBytesPerSecond),
    RuledSetting(.priority, \.priority, to: \.priority),
    RuledSetting(.connections, \.connections, to: \.connections),
    // A transfer in the standard queue has no name of a queue.
    RuledSetting(.queue, \.queue, to: \.options.queue) { $0 == .standard ? nil : $0 },
  ]

  private init<Value: Equatable & Sendable>(
    _ property: ConfiguredProperty,
    _ effect: any KeyPath<TransferRule.Effects, Value?> & Sendable,
    to target: any WritableKeyPath<TransferSpec, Value?> & Sendable,
    stored: @escaping @Sendable (Value) -> Value? = { $0 }
  ) {
    self.property = property
    isStandard = { $0[keyPath: target] == $1[keyPath: target] }
    reset = { $0[keyPath: target] = $1[keyPath: target] }
    apply = { effects, spec in
      guard let value = effects[keyPath: effect] else { return false }
      spec[keyPath: target] = stored(value)
      return true
    }
  }

  private init<Value: Equatable & Sendable>(
    _ property: ConfiguredProperty,
    _ effect: any KeyPath<TransferRule.Effects, Value?> & Sendable,
    to target: any WritableKeyPath<TransferSpec, Value> & Sendable
  ) {
    self.property = property
    isStandard = { $0[keyPath: target] == $1[keyPath: target] }
    reset = { $0[keyPath: target] = $1[keyPath: target] }
    apply = { effects, spec in
      guard let value = effects[keyPath: effect] else { return false }
      spec[keyPath: target] = value
      return true
    }
  }
}
