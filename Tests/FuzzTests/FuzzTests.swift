import KettleDaemon
import Testing
import TestSupport

/// Mutated inputs for everything in Kettle that reads what others wrote.
///
/// `make test-fuzz SECONDS=600` gives them more time. A failure shows its seed and the smallest
/// input that was found to fail.
@Suite(.serialized) struct FuzzTests {
  @Test func `a configuration file in any shape is read or refused`() async throws {
    try await Fuzzer(ConfigurationFuzz()).run()
  }

  @Test func `a list of URLs means the same however it arrives`() async throws {
    try await Fuzzer(ListFuzz()).run()
  }

  @Test func `a command line for curl in any shape is read or refused`() async throws {
    try await Fuzzer(CurlFuzz()).run()
  }

  @Test func `a line of the protocol in any shape is a request or a refusal`() async throws {
    try await Fuzzer(ProtocolFuzz()).run()
  }

  @Test func `no client's lines end the service or cost another client its replies`() async throws {
    let world = try await ServiceUnderFuzz()
    try await Fuzzer(ServiceFuzz(world)).run()
    #expect(await world.stop() == .stopped)
  }

  @Test func `the service starts with an edited store, and says what it lost`() async throws {
    try await Fuzzer(StoreFuzz()).run()
  }

  @Test func `a completed file is one that the origin served`() async throws {
    let world = try await DownloadWorld()
    try await Fuzzer(DownloadFuzz(world)).run()
    await world.shutDown()
  }

  @Test(.enabled(if: TLSServer.isThere))
  func `a file that came over TLS is the server's whatever happens on the way`() async throws {
    let world = try await DownloadWorld()
    try await Fuzzer(TLSFuzz(world)).run()
    await world.shutDown()
  }
}
