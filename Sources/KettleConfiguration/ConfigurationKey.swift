/// A key of the configuration file: its name, the values that it accepts, the property that it
/// sets, and its documentation. `ConfigurationKeys` lists all keys.
package struct ConfigurationKey<Settings>: Sendable {
  /// The full name. `HOST` and `NAME` stand for names of the user's, and `#` for the number of an
  /// element.
  package let name: String
  /// What the key sets; a sentence.
  package private(set) var meaning = ""
  /// Describes the values that the key accepts.
  package let expectation: String
  /// The words that the key accepts; empty if it accepts others too.
  package let words: [String]
  /// Whether a change applies only after a restart of the service.
  let waitsForStart: Bool
  /// Whether both settings have the same value for the key.
  let areEqual: @Sendable (Settings, Settings) -> Bool
  private let asksForQuotes: Bool
  private var otherwise: String?
  private let assign: @Sendable (TOMLEntry, inout Settings) -> Bool
  private let written: @Sendable (Settings) -> String?

  /// - Parameter fallback: what the property becomes if the value is not accepted; nil leaves it as
  ///   it is.
  init<Value>(
    _ name: String, sets property: any WritableKeyPath<Settings, Value> & Sendable,
    to kind: ValueKind<Value>, ifWrong fallback: Value? = nil, waitsForStart: Bool = false
  ) {
    self.name = name
    self.waitsForStart = waitsForStart
    expectation = kind.expectation
    words = kind.words
    asksForQuotes = kind.asksForQuotes
    assign = { entry, settings in
      let accepted = kind.read(entry)
      if let value = accepted ?? fallback { settings[keyPath: property] = value }
      return accepted != nil
    }
    written = { kind.written($0[keyPath: property]) }
    areEqual = { $0[keyPath: property] == $1[keyPath: property] }
  }

  /// For a property that is nil without the key.
  init<Value>(
    _ name: String, setsOptional property: any WritableKeyPath<Settings, Value?> & Sendable,
    to kind: ValueKind<Value>, ifWrong fallback: Value? = nil, waitsForStart: Bool = false
  ) {
    self.init(
      name, sets: property, to: kind.optional, ifWrong: fallback.map(Optional.some),
      waitsForStart: waitsForStart)
  }

  /// Returns the key with its documentation.
  ///
  /// - Parameters:
  ///   - meaning: what the key sets; a sentence.
  ///   - otherwise: what applies without it, or more about the default.
  func means(_ meaning: String, otherwise: String? = nil) -> Self {
    var key = self
    (key.meaning, key.otherwise) = (meaning, otherwise)
    return key
  }

  /// The first part of the name.
  var table: String { String(name.prefix { $0 != "." }) }

  /// The name within the table.
  package var lastName: String { String(name.split(separator: ".").last ?? "") }

  /// What applies without the key.
  ///
  /// - Parameter settings: those of an empty file.
  package func standard(in settings: Settings) -> String {
    [written(settings), otherwise].compactMap(\.self).joined(separator: ", ")
  }

  /// Applies the value of an entry, or returns its problem.
  fileprivate func apply(
    _ entry: TOMLEntry, to settings: inout Settings
  ) -> ConfigurationProblem.What? {
    if assign(entry, &settings) { return nil }
    return entry.value == .unquoted && asksForQuotes
      ? .unquoted(entry.name) : .wrongValue(entry.name, mustBe: expectation)
  }
}

extension Array {
  /// Applies an entry by its key, or returns its problem.
  ///
  /// - Parameter name: that of the key.
  func apply<Settings>(
    _ entry: TOMLEntry, of name: String, to settings: inout Settings
  ) -> ConfigurationProblem.What? where Element == ConfigurationKey<Settings> {
    guard let key = first(where: { $0.name == name }) else { return .unknownKey(entry.name) }
    return key.apply(entry, to: &settings)
  }
}
