import KettleModel
import KettleSystem
import TestSupport

/// Serves the recording of a script, and lets its events happen.
final class RecordingOrigin: Sendable {
  private struct State: Sendable {
    var version = 0
    /// Every window that was listed begins before or here.
    var window = 0
    var token = 0
    var variants = [0, 1]
    var responseCount = 0
    var wire: [String] = []
  }

  private let script: PlaylistScript
  private let folder: String
  private let state = Mutex(State())
  private let interrupt: @Sendable (@escaping @Sendable () -> Void) -> Void

  /// - Parameter interrupt: interrupts the transfer, makes a change and continues it.
  init(
    _ script: PlaylistScript, at folder: String,
    interrupt: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
  ) {
    self.script = script
    self.folder = folder
    self.interrupt = interrupt
  }

  var path: String { folder + "/show.m3u8" }
  var wire: [String] { state.withLock { $0.wire } }

  /// The recordings that a completed file may be.
  var files: Set<[UInt8]> {
    let (versions, windows) = state.withLock { (0...$0.version, 0...$0.window) }
    var files: Set<[UInt8]> = []
    for version in versions {
      for variant in 0...1 {
        for window in windows {
          files.insert(
            (window..<(window + script.segmentCount)).flatMap {
              Self.bytes(version: version, variant: variant, of: $0)
            })
        }
      }
    }
    return files
  }

  func serve(on origin: ScriptedOrigin) {
    origin.serve(at: path) { _ in self.playlist() }
    for variant in 0...1 {
      origin.serve(at: "\(folder)/\(variant).m3u8") { _ in self.media(variant) }
      for token in 0..<PlaylistScript.tokenCountMax {
        let place = "\(folder)/\(token)/\(variant)"
        origin.serve(at: place + "/all.ts") { request in
          self.segment(nil, variant, token, request)
        }
        for index in 0..<PlaylistScript.resourceSegmentCount {
          origin.serve(at: "\(place)/\(index).ts") { request in
            self.segment(index, variant, token, request)
          }
        }
      }
    }
  }

  // MARK: Documents

  private func playlist() -> OriginBehavior {
    guard script.form == .variants else { return media(0) }
    let variants = state.withLock { $0.variants }
    let lines = variants.enumerated().map {
      "#EXT-X-STREAM-INF:BANDWIDTH=\(9 - $0)\n\($1).m3u8\n"
    }
    return .status(200, text: "#EXTM3U\n" + lines.joined())
  }

  private func media(_ variant: Int) -> OriginBehavior {
    let (window, token) = state.withLock { ($0.window, $0.token) }
    let count = PlaylistScript.segmentByteCount
    let lines = (window..<(window + script.segmentCount)).map { index in
      let place = "\(token)/\(variant)"
      return script.form == .parts
        ? "#EXTINF:6,\n#EXT-X-BYTERANGE:\(count)@\(Int64(index) * count)\n\(place)/all.ts\n"
        : "#EXTINF:6,\n\(place)/\(index).ts\n"
    }
    return .status(
      200,
      text: "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXT-X-MEDIA-SEQUENCE:\(window)\n\(lines.joined())"
        + "#EXT-X-ENDLIST\n")
  }

  // MARK: Segments

  private static func resource(version: Int, variant: Int) -> SeededBody {
    SeededBody(
      seed: UInt64(1000 + version * 10 + variant),
      byteCount: PlaylistScript.segmentByteCount * Int64(PlaylistScript.resourceSegmentCount))
  }

  private static func bytes(version: Int, variant: Int, of index: Int) -> [UInt8] {
    let lower = Int64(index) * PlaylistScript.segmentByteCount
    return resource(version: version, variant: variant)
      .bytes(in: lower..<(lower + PlaylistScript.segmentByteCount))
  }

  /// - Parameter index: nil for the resource of all segments.
  private func segment(
    _ index: Int?, _ variant: Int, _ token: Int, _ request: OriginRequest
  ) -> OriginBehavior {
    let (number, version) = state.withLock { state in
      state.responseCount += 1
      return (state.responseCount, state.version)
    }
    let resource = Self.resource(version: version, variant: variant)
    var behavior = OriginBehavior(resource)
    if let index {
      behavior = .whole(Self.bytes(version: version, variant: variant, of: index))
    }
    for step in script.steps where step.response == number {
      behavior = happens(step.event, instead: behavior)
    }
    // A link that expires with this response still delivers it.
    if token < state.withLock({ $0.token }), script.steps.allSatisfy({ $0.response != number }) {
      behavior = .status(403)
    }
    note("\(number): \(request.path) \(request.value(of: "Range") ?? "")")
    return behavior
  }

  private func note(_ line: String) { state.withLock { $0.wire.append(line) } }

  private func happens(
    _ event: PlaylistScript.Event, instead behavior: OriginBehavior
  ) -> OriginBehavior {
    note("\(event.rawValue)")
    switch event {
    case .interruption: interrupt {}
    case .replacement: replace()
    case .moveWindow:
      state.withLock { state in
        let last = PlaylistScript.resourceSegmentCount - script.segmentCount
        state.window = min(state.window + 1, last)
      }
    case .swapVariants: state.withLock { $0.variants.reverse() }
    case .dropVariant: state.withLock { $0.variants = [1] }
    case .renewLinks:
      state.withLock { $0.token = min($0.token + 1, PlaylistScript.tokenCountMax - 1) }
    case .page: return .whole(Array("<title>Sign in</title>".utf8), mediaType: "text/html")
    case .emptyBody: return .whole([])
    case .goneOnce: return .status(404)
    case .cut: return behavior.with { $0.ending = .cut(after: 1000, .fin) }
    case .shortPart: return behavior.with { $0.ranges = .shortened(to: 500) }
    }
    return behavior
  }

  /// Parts are replaced at any time: their ETag shows it. Without one, a recording whose bytes
  /// change within a run cannot be told from any other.
  private func replace() {
    let change: @Sendable () -> Void = {
      self.state.withLock {
        $0.version = min($0.version + 1, PlaylistScript.versionCountMax - 1)
      }
    }
    if script.form == .parts { change() } else { interrupt(change) }
  }
}
