import KettleModel
import Testing

@testable import KettleFleet

/// Files that all hosts want.
struct FleetCopyTests {
  @Test(arguments: ["10.0.0.5:7070", "192.168.1.2:1", "127.0.0.1:65535", "[fd00::5]:7070"])
  func `an address with a port is one to share at`(_ text: String) throws {
    let address = try #require(ShareAddress(text))
    #expect(address.port > 0 && IPAddress(address.address) != nil)
  }

  @Test(arguments: [
    "", "10.0.0.5", "10.0.0.5:80", "10.0.0.5:0", "10.0.0.5:70000", ":7070", "nas:7070",
    "nas.example:7070", "0.0.0.0:7070", "[::]:7070", "10.0.0.5:7070/x", "u@10.0.0.5:7070",
    "10.0.0.5:07070", "fd00::5:7070", "10.0.0.5:7070?x", "10.0.0.5:7070#x", "10.5:7070",
  ])
  func `no other text is`(_ text: String) { #expect(ShareAddress(text) == nil) }

  private func order(_ copy: FleetCopy?) throws -> FleetOrder {
    var order = FleetOrder(url: try TransferURL.parse("http://10.0.0.5:7070/fleet/1").get().url)
    order.copy = copy
    order.checksum = Checksum(algorithm: .sha256, hex: String(repeating: "a", count: 64))
    return order
  }

  @Test func `a machine is not asked for a file without end`() throws {
    #expect(try order(.fromMachine).spec(in: "/d", reach: .network).options.attemptsMax == 3)
    #expect(try order(.fromOrigin).spec(in: "/d", reach: .network).options.attemptsMax == nil)
    #expect(try order(nil).spec(in: "/d", reach: .network).options.attemptsMax == nil)
  }

  /// What a held claim does with its file, and how it ends.
  private func published(_ copy: FleetCopy?) throws -> (file: CompleteFile?, end: FleetEnd?) {
    let settings = FleetSettings(
      database: "", name: "nas", secret: "", labels: [], take: 1, roots: ["/srv"])
    let key = ClaimKey(id: FleetTransferID(rawValue: 1), epoch: 1)
    let share = ShareKey(origin: "http://10.0.0.5:7070", slot: 0)
    var actions: [FleetAction] = []
    var claim = HeldClaim(
      FleetClaim(key: key, share: share, order: try order(copy)), by: settings, &actions)
    claim.handle(.added(TransferID(rawValue: 1)), &actions)
    let file = CompleteFile(path: "/srv/x/f", name: "f", byteCount: 1, modifiedNanoseconds: 1)
    claim.handle(.completed(file), &actions)
    claim.beginPublishing(&actions)
    let done = PublishedFile(name: "f", directory: "/srv", byteCount: 1, sha256: "abc")
    claim.published(.published(done))
    guard case .publish(_, let file, _, _)? = actions.last else { return (nil, claim.end) }
    return (file, claim.end)
  }

  @Test func `a file is given away with the digest that it was compared with`() throws {
    let copied = try published(.fromMachine)
    #expect(copied.file?.copy == .fromMachine)
    #expect(copied.file?.sha256 == String(repeating: "a", count: 64))
    #expect(copied.end?.sha256 == "abc")
    // What the user expects of the origin may be another digest than SHA-256.
    let first = try published(.fromOrigin)
    #expect(first.file?.copy == .fromOrigin && first.file?.sha256 == nil)
    #expect(try published(nil).file?.copy == nil)
  }
}
