import KettleDaemon
import Testing
import TestSupport

/// Mutated inputs for everything in Kettle that parses external input.
///
/// `make test-fuzz SECONDS=600` gives them more time. A failure shows its seed and the smallest
/// failing input that was found.
@Suite(.serialized) struct FuzzTests {
  @Test func `any configuration file is parsed or rejected`() async throws {
    try await Fuzzer(ConfigurationFuzz()).run()
  }

  @Test func `a URL list parses the same however it is split`() async throws {
    try await Fuzzer(ListFuzz()).run()
  }

  @Test func `any curl command line is parsed or rejected`() async throws {
    try await Fuzzer(CurlFuzz()).run()
  }

  @Test func `any Metalink and any Link header is read or refused`() async throws {
    try await Fuzzer(MetalinkFuzz()).run()
  }

  @Test func `any list of a collection is read or refused`() async throws {
    try await Fuzzer(try ListingFuzz()).run()
  }

  @Test func `any torrent and any manifest is read or refused`() async throws {
    try await Fuzzer(TorrentFuzz()).run()
  }

  @Test func `any playlist and any list of checksums is read or refused`() async throws {
    try await Fuzzer(PlaylistFuzz()).run()
  }

  @Test func `any message of the RPC is understood or refused`() async throws {
    try await Fuzzer(try RPCFuzz()).run()
  }

  @Test func `any message of a browser and any link of a page is understood or refused`()
    async throws
  {
    try await Fuzzer(BrowserFuzz()).run()
  }

  @Test func `any file and command line of another program is read or refused`() async throws {
    try await Fuzzer(try PeerFileFuzz()).run()
  }

  @Test func `any compressed file is unpacked or refused`() async throws {
    try await Fuzzer(try UnpackingFuzz()).run()
  }

  @Test func `any protocol line is decoded or refused`() async throws {
    try await Fuzzer(ProtocolFuzz()).run()
  }

  @Test func `no client input ends the service or costs another client its replies`() async throws {
    let world = try await ServiceUnderFuzz()
    try await Fuzzer(ServiceFuzz(world)).run()
    #expect(await world.stop() == .stopped)
  }

  @Test func `the service starts with a damaged store and reports what it lost`() async throws {
    try await Fuzzer(StoreFuzz()).run()
  }

  @Test func `a completed file is always one that the origin served`() async throws {
    let world = try await DownloadWorld()
    try await Fuzzer(DownloadFuzz(world)).run()
    await world.shutDown()
  }

  @Test func `a completed recording is always one that the origin served`() async throws {
    let world = try await DownloadWorld()
    try await Fuzzer(RecordingFuzz(world)).run()
    await world.shutDown()
  }

  // Fault 155
  @Test func `a completed file is what the last reading of a changing Metalink described`()
    async throws
  {
    let world = try await DownloadWorld()
    try await Fuzzer(DocumentFuzz(world)).run()
    await world.shutDown()
  }

  @Test(.enabled(if: TLSServer.isThere))
  func `a file downloaded over TLS matches the server's whatever happens in transit`() async throws
  {
    let world = try await DownloadWorld()
    try await Fuzzer(TLSFuzz(world)).run()
    await world.shutDown()
  }
}
