import Foundation

/// The settings of a run from its environment.
struct FuzzEnvironment: Sendable {
  /// KETTLE_FUZZ_SECONDS: the total time of all parts. It limits how many inputs are tried, and no
  /// result depends on it.
  var seconds: Double
  /// KETTLE_SEED: it determines each input, together with the input's number.
  var seed: UInt64
  /// KETTLE_FUZZ_INPUT: a file with one input, in a folder with the name of its part. If it is set,
  /// nothing else is tried.
  var inputPath: String?

  static let current = FuzzEnvironment(ProcessInfo.processInfo.environment)

  init(_ environment: [String: String]) {
    seconds = environment["KETTLE_FUZZ_SECONDS"].flatMap { Double($0) } ?? 10
    seed =
      environment["KETTLE_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 0...UInt64.max)
    inputPath = environment["KETTLE_FUZZ_INPUT"].flatMap { $0.isEmpty ? nil : $0 }
  }

  func seconds(of part: some FuzzPart) -> Double { seconds * Double(part.sharePercent) / 100 }
}
