import Foundation

/// What a run is told by its environment.
struct FuzzEnvironment: Sendable {
  /// KETTLE_FUZZ_SECONDS: the time of all parts together. It limits how many inputs are tried, and
  /// no result depends on it.
  var seconds: Double
  /// KETTLE_SEED: together with the number of an input it determines the input.
  var seed: UInt64
  /// KETTLE_FUZZ_INPUT: a file with one input, in a folder with the name of its part. Nothing else
  /// is tried then.
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
