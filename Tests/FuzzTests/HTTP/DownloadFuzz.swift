import KettleModel
import KettleSystem
import SeededNumbers
import TestSupport

/// Replies of HTTP servers: a completed file is one that was served, any other outcome leaves no
/// file, and every transfer settles.
struct DownloadFuzz: FuzzPart {
  let name = "download"
  let sharePercent = 41
  let width = 32
  let samples = ResponseScript.samples
  private let world: DownloadWorld

  init(_ world: DownloadWorld) { self.world = world }

  func mutated(
    _ input: ResponseScript, times count: Int, _ random: inout SeededGenerator
  ) -> ResponseScript {
    (0..<count).reduce(input) { script, _ in script.mutated(&random) }
  }

  /// The names of the edits: sizes and places vary between runs.
  func kind(of input: ResponseScript) -> String {
    input.replies.map { reply in
      reply.edits.map { "\($0)".prefix { $0 != "(" } }.joined(separator: "+")
    }.joined(separator: ", ")
  }

  func simplifications(of input: ResponseScript) -> [ResponseScript] { input.simplifications }
  func text(of input: ResponseScript) -> [UInt8] { ReadableJSON.text(of: input) }

  func input(from text: [UInt8]) -> ResponseScript? {
    let script: ResponseScript? = ReadableJSON.value(from: text)
    return script?.byteCounts.count == 2 ? script : nil
  }

  func finding(for script: ResponseScript) async -> String? {
    do {
      let (origin, number) = try world.origin()
      let served = Served(ServedVersions(script))
      origin.serve(at: "/\(number)") { request in
        var rendering = ReplyRendering(script, to: request)
        let reply = rendering.rendered()
        served.versions.withLock { $0.note(reply, to: request) }
        var behavior = OriginBehavior.raw(reply.bytes)
        behavior.staysOpenBehindRaw = reply.staysOpen
        if reply.isReset { behavior.ending = .cut(after: Int64(reply.bytes.count), .reset) }
        return behavior
      }
      let end = try await world.download(
        origin.url("/\(number)"), number: number, connections: max(1, script.connections))
      return served.versions.withLock { Self.finding(end, $0) }
    } catch {
      return "\(error)"
    }
  }

  private final class Served: Sendable {
    let versions: Mutex<ServedVersions>
    init(_ versions: ServedVersions) { self.versions = Mutex(versions) }
  }

  private static func finding(_ end: DownloadWorld.End, _ served: ServedVersions) -> String? {
    let wire = "\n" + served.wire.joined(separator: "\n")
    guard let row = end.row else { return "the transfer does not come to rest" + wire }
    guard row.state == .completed else {
      return end.files.isEmpty ? nil : "a file is there though the transfer is \(row.state)" + wire
    }
    guard let file = end.files.first, end.files.count == 1 else {
      return "completed with \(end.files.count) files" + wire
    }
    if served.files.contains(file) { return nil }
    let lengths = served.files.map(\.count).sorted()
    return "a wrong file of \(file.count) bytes is completed; served were \(lengths)" + wire
  }
}
