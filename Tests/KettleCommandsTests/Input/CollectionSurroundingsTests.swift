import KettleCollections
import KettleModel
import Testing

@testable import KettleCommands

/// What the environment changes about a collection that the add form was given.
struct CollectionSurroundingsTests {
  private static let token = "hf_secret"

  private func completed(
    _ name: String, _ environment: [String: String]
  ) throws -> TransferSpec {
    let source = try #require(
      try CollectionSource.named(name, in: CollectionEnvironment([:]))?.get())
    var spec = TransferSpec(url: source.url)
    spec.options.collection = CollectionRequest(source)
    var fake = FakeContext()
    fake.environment = ["HOME": "/nonexistent"].merging(environment) { $1 }
    return CollectionSurroundings(fake.context).completed(spec)
  }

  @Test func `another endpoint takes the place of the usual one`() throws {
    let spec = try completed("hf://org/model", ["HF_ENDPOINT": "https://hub.example.org"])
    #expect(spec.url.host == "hub.example.org")
    #expect(spec.options.collection?.source.url == spec.url)
    #expect(spec.headers.isEmpty)
  }

  @Test func `the token goes to its service alone`() throws {
    let environment = ["HF_TOKEN": " \(Self.token)\n"]
    let spec = try completed("hf://org/model", environment)
    #expect(spec.headers.map(\.value) == ["Bearer \(Self.token)"])
    let sums = "https://example.org/SHA256SUMS"
    #expect(try completed(sums, environment).headers.isEmpty)
    #expect(try completed(sums, environment).url.text == sums)
  }
}
