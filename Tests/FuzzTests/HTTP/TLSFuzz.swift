import KettleModel
import SeededNumbers

/// TLS connections whose bytes are changed, lost and cut in transit: a completed file equals the
/// server's, whatever its framing.
struct TLSFuzz: FuzzPart {
  let name = "tls"
  let sharePercent = 8
  let samples = TLSScript.samples
  private let world: DownloadWorld
  private let server: TLSFiles
  private let relay: MeddlingRelay

  init(_ world: DownloadWorld) async throws {
    self.world = world
    server = try await TLSFiles()
    relay = try MeddlingRelay(to: server.port)
  }

  func mutated(
    _ input: TLSScript, times count: Int, _ random: inout SeededGenerator
  ) -> TLSScript {
    (0..<count).reduce(input) { script, _ in script.mutated(&random) }
  }

  func simplifications(of input: TLSScript) -> [TLSScript] { input.simplifications }
  func text(of input: TLSScript) -> [UInt8] { ReadableJSON.text(of: input) }
  func input(from text: [UInt8]) -> TLSScript? { ReadableJSON.value(from: text) }

  func finding(for script: TLSScript) async -> String? {
    do {
      let (_, number) = try world.origin()
      server.put(script.reply, as: "\(number)")
      defer { server.remove("\(number)") }
      relay.follow(script)
      let url = try TransferURL.parse("https://127.0.0.1:\(relay.port)/\(number)").get().url
      let end = try await world.download(
        url, number: number, connections: 1, certificate: server.certificatePath)
      guard let row = end.row else { return "the transfer does not come to rest" }
      if row.state == .completed {
        return end.files == [script.body]
          ? nil : "a wrong file is completed: \(end.files.map(\.count)) bytes"
      }
      if !end.files.isEmpty { return "a file is there though the transfer is \(row.state)" }
      let problem = row.error.map { "\($0.code) \($0.detail ?? "")" } ?? "no error"
      return script.edits.isEmpty ? "nothing was edited, and it is \(row.state): \(problem)" : nil
    } catch {
      return "\(error)"
    }
  }
}
