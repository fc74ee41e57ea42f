import KettleModel
import KettleSystem
import SeededNumbers
import TestSupport

/// A Metalink that changes between reads, and mirrors that disagree: a completed file is a whole
/// version, of the size and the digest that the last reading said, under a harmless name. Every
/// transfer settles after a bounded number of readings.
struct DocumentFuzz: FuzzPart {
  let name = "documents"
  let sharePercent = 8
  let width = 16
  let samples = DocumentScript.samples
  private let world: DownloadWorld

  init(_ world: DownloadWorld) { self.world = world }

  /// No transfer reads more: a chain has five documents, and few runs follow one another.
  private static let readingCountMax = 100

  func mutated(
    _ input: DocumentScript, times count: Int, _ random: inout SeededGenerator
  ) -> DocumentScript {
    (0..<count).reduce(input) { script, _ in script.mutated(&random) }
  }

  func simplifications(of input: DocumentScript) -> [DocumentScript] { input.simplifications }
  func text(of input: DocumentScript) -> [UInt8] { ReadableJSON.text(of: input) }

  func input(from text: [UInt8]) -> DocumentScript? {
    let script: DocumentScript? = ReadableJSON.value(from: text)
    return script?.byteCounts.count == 2 ? script : nil
  }

  func finding(for script: DocumentScript) async -> String? {
    do {
      let (origin, number) = try world.origin()
      let bodies = script.byteCounts.enumerated().map { version, byteCount in
        SeededBody(seed: UInt64(number * 2 + version), byteCount: Int64(byteCount))
      }
      for (index, mirror) in script.mirrors.enumerated() {
        let body = bodies[mirror.version == 0 ? 0 : 1]
        origin.serve(at: "/\(number)/\(index)") { request in
          mirror.behavior(of: body, number: request.numberForPath)
        }
      }
      let readings = Readings()
      let own = try origin.url("/\(number)/a.meta4")
      let urls = try script.mirrors.indices.map { try origin.url("/\(number)/\($0)").text }
      origin.serve(at: "/\(number)/a.meta4") { request in
        let index = min(request.numberForPath, script.readings.count) - 1
        guard script.readings.indices.contains(index) else { return .status(404, text: "") }
        let reading = script.readings[index]
        readings.state.withLock { $0 = ($0.count + 1, reading) }
        return .whole(
          reading.metalink(urls, own: own.text, bodies), mediaType: MetalinkFile.mediaType)
      }
      let end = try await world.download(own, number: number, connections: script.connections)
      let (count, last) = readings.state.withLock { $0 }
      if count > Self.readingCountMax { return "the Metalink was read \(count) times" }
      return Self.finding(end, last, bodies)
    } catch {
      return "\(error)"
    }
  }

  /// How often the Metalink was read, and what it said last.
  private final class Readings: Sendable {
    let state = Mutex<(count: Int, last: DocumentScript.Reading?)>((0, nil))
  }

  private static func finding(
    _ end: DownloadWorld.End, _ reading: DocumentScript.Reading?, _ bodies: [SeededBody]
  ) -> String? {
    guard let row = end.row else { return "the transfer does not come to rest" }
    guard row.state == .completed else {
      return end.files.isEmpty ? nil : "a file is there though the transfer is \(row.state)"
    }
    guard let file = end.files.first, end.files.count == 1, let reading else {
      return "completed with \(end.files.count) files"
    }
    let fileName = row.path?.split(separator: "/").last.map(String.init) ?? ""
    if FileName(foreign: fileName)?.text != fileName { return "the name \(fileName)" }
    guard let version = bodies.firstIndex(where: { $0.bytes == file }) else {
      return "a wrong file of \(file.count) bytes is completed"
    }
    if let wanted = reading.sizeOf, bodies[wanted].byteCount != Int64(file.count) {
      return "a file of another size than the Metalink says is completed"
    }
    if let wanted = reading.digestOf, bodies[wanted].bytes != bodies[version].bytes {
      return "a file with another digest than the Metalink says is completed"
    }
    return nil
  }
}

extension DocumentScript.Mirror {
  fileprivate func behavior(of body: SeededBody, number: Int) -> OriginBehavior {
    if statuses.indices.contains(number - 1) { return .status(statuses[number - 1], text: "") }
    var behavior = OriginBehavior(body)
    behavior.lastModified = nil
    behavior.entityTag = hasTag ? .strong : .none
    behavior.ranges = honoursRanges ? .honoured : .ignored
    switch framing {
    case .length: break
    case .chunked: behavior.framing = .chunked
    case .untilClose: behavior.framing = .untilClose
    }
    if let cutsAfter { behavior.ending = .cut(after: Int64(cutsAfter), .fin) }
    return behavior
  }
}

extension DocumentScript.Reading {
  fileprivate func metalink(_ urls: [String], own: String, _ bodies: [SeededBody]) -> [UInt8] {
    var text = "<metalink xmlns=\"urn:ietf:params:xml:ns:metalink\"><file name=\"\(name)\">"
    if let sizeOf { text += "<size>\(bodies[sizeOf].byteCount)</size>" }
    if let digestOf, let hex = TestDigest.hex(of: bodies[digestOf].bytes, .sha256) {
      text += "<hash type=\"sha-256\">\(hex)</hash>"
    }
    for source in sources {
      text += "<url>\(urls.indices.contains(source) ? urls[source] : own)</url>"
    }
    return Array((text + "</file></metalink>").utf8)
  }
}
