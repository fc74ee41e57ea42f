import Foundation
import KettleModel
import TestSupport

/// A file of the origin with the options of its add.
struct StormFile: Sendable {
  var path: String
  var body: SeededBody
  var options: [String] = []
  /// A download without ranges restarts after each kill; the promise does not cover it.
  var canGoOn = true

  /// Serves it under `path`.
  private func serve(on origin: ScriptedOrigin, _ change: (inout OriginBehavior) -> Void = { _ in })
  {
    origin.serve(OriginBehavior(body).with(change), at: path)
  }

  /// Makes one of twenty kinds in turn, from 0 bytes to 64 MiB; `number` makes its path and content
  /// unique.
  static func make(
    _ number: Int, on origin: ScriptedOrigin, random: inout StormRandom
  ) -> StormFile {
    let sizes: [Int64] = [
      0, 1, 4095, 70_001, 1 << 20, 3 << 20, 6 << 20, 9_999_999, 16 << 20, 24 << 20, 33_333_333,
      48 << 20, 64 << 20, 12 << 20, 20 << 20, 8 << 20, 2 << 20, 28 << 20, 40 << 20, 5_000_011,
    ]
    let kind = number % sizes.count
    var file = StormFile(
      path: "/\(number)-\(kind).bin",
      body: SeededBody(seed: StormRandom.runSeed &+ UInt64(number), byteCount: sizes[kind]))
    let pace = Int64.random(in: (1 << 20)...(4 << 20), using: &random)
    switch kind {
    case 5:
      let target = "/target" + file.path
      origin.serve(.redirect(to: target), at: file.path)
      origin.serve(OriginBehavior(file.body).with { $0.bytesPerSecond = pace }, at: target)
    case 6: file.serve(on: origin) { ($0.framing, $0.bytesPerSecond) = (.chunked, pace) }
    case 16:
      file.canGoOn = false
      file.serve(on: origin) {
        ($0.framing, $0.ranges, $0.entityTag) = (.chunked, .ignored, .none)
      }
    case 7, 17:
      file.options = ["--limit", "\(2 + number % 3)M"]
      file.serve(on: origin)
    case 4, 13:
      file.options = ["--checksum", "sha256:" + file.body.sha256]
      file.serve(on: origin) { $0.bytesPerSecond = pace }
    case 10, 11: file.serve(on: origin) { $0.bytesPerSecond = pace + (2 << 20) }
    // So fast that a service that records less than it promises would lose more between two kills.
    case 12, 18: file.serve(on: origin) { $0.bytesPerSecond = 8 * pace }
    default: file.serve(on: origin) { if number % 2 == 0 { $0.bytesPerSecond = pace } }
    }
    return file
  }

  /// The path from which its bytes are sent.
  var bodyPath: String { path.hasSuffix("-5.bin") ? "/target" + path : path }
}

extension SeededBody {
  /// Computed by another program than the one under test.
  var sha256: String {
    let name = NSTemporaryDirectory() + "/kstorm-body-" + UUID().uuidString
    defer { try? FileManager.default.removeItem(atPath: name) }
    guard FileManager.default.createFile(atPath: name, contents: Data(bytes)),
      let program = try? StormProcess(
        ["sha256sum", name], environment: ProcessInfo.processInfo.environment)
    else { return "" }
    return String(program.outcome(budgetMilliseconds: 20_000).output.prefix(64))
  }
}
