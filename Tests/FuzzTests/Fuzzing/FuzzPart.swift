import SeededNumbers

/// One parser of external input: its valid inputs, how they are mutated, and what must hold for
/// every input.
///
/// The loop, the minimizer, the corpus and the report are the same for all parts (`Fuzzer`).
protocol FuzzPart: Sendable {
  associatedtype Input: Sendable & Hashable

  /// The name of its folder in the corpus.
  var name: String { get }
  /// Its share of the time, in per cent.
  var sharePercent: Int { get }
  /// How many inputs are checked at the same time.
  var width: Int { get }
  /// Valid inputs. Every input that is generated is a mutation of one of them.
  var samples: [Input] { get }

  /// Applies `count` random edits.
  func mutated(_ input: Input, times count: Int, _ random: inout SeededGenerator) -> Input

  /// Simpler variants, the simplest ones first. Repeated simplification must end.
  func simplifications(of input: Input) -> [Input]

  /// Returns what is wrong, or nil when the property holds.
  func finding(for input: Input) async -> String?

  /// Failing inputs of the same kind probably have the same cause: one of each kind is reported.
  func kind(of input: Input) -> String

  /// The form in which an input is shown and saved.
  func text(of input: Input) -> [UInt8]
  func input(from text: [UInt8]) -> Input?
}

extension FuzzPart {
  var width: Int { 1 }
  func kind(of input: Input) -> String { String(decoding: text(of: input), as: UTF8.self) }
}

extension FuzzPart where Input == [UInt8] {
  func text(of input: [UInt8]) -> [UInt8] { input }
  func input(from text: [UInt8]) -> [UInt8]? { text }
}

/// A part whose inputs are texts.
protocol TextFuzzPart: FuzzPart where Input == [UInt8] {
  var mutator: TextMutator { get }
}

extension TextFuzzPart {
  func mutated(
    _ input: [UInt8], times count: Int, _ random: inout SeededGenerator
  ) -> [UInt8] {
    mutator.mutated(input, times: count, &random)
  }

  func simplifications(of input: [UInt8]) -> [[UInt8]] { TextMutator.simplifications(of: input) }
}
