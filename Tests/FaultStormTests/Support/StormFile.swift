import Foundation
import KettleModel
import TestSupport

/// A file of the origin with the options of its add.
struct StormFile: Sendable {
  var path: String
  var body: SeededBody
  var options: [String] = []
  /// A download without ranges restarts after each kill; the promise does not cover it. What a
  /// document names is fetched from several paths, which the ledger bills one by one.
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
    case 14: file.serveAsMetalink(on: origin, pace: pace)
    case 15: file.serveAsRecording(on: origin, pace: pace)
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

  /// A Metalink that lists its mirrors in another order each time. Two of them have the file, each
  /// with tags of its own, and one has another file of the same size.
  private mutating func serveAsMetalink(on origin: ScriptedOrigin, pace: Int64) {
    canGoOn = false
    let name = path.dropFirst()
    let stranger = SeededBody(seed: body.seed &+ 1, byteCount: body.byteCount)
    let mirrors = [(body, "first"), (body, "second"), (stranger, "third")]
    for (content, tag) in mirrors {
      let behavior = OriginBehavior(content).with {
        ($0.entityTag, $0.lastModified, $0.bytesPerSecond) = (.fixed("\"\(tag)\""), nil, pace)
      }
      origin.serve(behavior, at: "/\(tag)/\(name)")
    }
    let digest = body.sha256
    let (place, byteCount) = ("http://\(origin.host):\(origin.port)", body.byteCount)
    origin.serve(at: path) { request in
      let tags = request.numberForPath % 2 == 0 ? ["second", "first"] : ["first", "second"]
      let urls = (tags + ["third"]).enumerated().map { rank, tag in
        "<url priority=\"\(rank + 1)\">\(place)/\(tag)/\(name)</url>"
      }
      let text =
        "<metalink xmlns=\"urn:ietf:params:xml:ns:metalink\"><file name=\"\(name)\">"
        + "<size>\(byteCount)</size><hash type=\"sha-256\">\(digest)</hash>"
        + urls.joined() + "</file></metalink>"
      return .whole(Array(text.utf8), mediaType: "application/metalink4+xml")
    }
  }

  /// A recording of which each reading of the playlist names the segments by other links.
  private mutating func serveAsRecording(on origin: ScriptedOrigin, pace: Int64) {
    canGoOn = false
    path = path.replacing(".bin", with: ".m3u8")
    let (segment, name) = ("/segments" + path, path)
    origin.serve(OriginBehavior(body).with { $0.bytesPerSecond = pace }, at: segment)
    let starts = stride(from: 0, to: body.byteCount, by: 1 << 20)
    let parts = starts.map { ($0, min(1 << 20, body.byteCount - $0)) }
    origin.serve(at: name) { request in
      let lines = parts.map { start, count in
        "#EXTINF:6,\n#EXT-X-BYTERANGE:\(count)@\(start)\n\(segment)?\(request.numberForPath)\n"
      }
      return .status(
        200, text: "#EXTM3U\n#EXT-X-TARGETDURATION:6\n\(lines.joined())#EXT-X-ENDLIST\n")
    }
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
