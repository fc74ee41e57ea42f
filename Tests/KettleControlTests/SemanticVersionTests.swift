import KettleControl
import Testing

struct SemanticVersionTests {
  /// The order of semver.org, section 11.
  @Test func `versions are in the order of their specification`() throws {
    let texts = [
      "0.0.9", "0.1.0-alpha", "0.1.0-alpha.1", "0.1.0-alpha.beta", "0.1.0-beta", "0.1.0-beta.2",
      "0.1.0-beta.11", "0.1.0-rc.1", "0.1.0", "0.1.10", "0.10.0", "1.0.0",
    ]
    let versions = texts.compactMap { SemanticVersion($0) }
    #expect(versions.count == texts.count)
    #expect(versions == versions.sorted())
    #expect(zip(versions, versions.dropFirst()).allSatisfy { $0 < $1 && !($1 < $0) })
  }

  @Test(arguments: ["", "1", "1.2", "1.2.3.4", "1.2.x", "v1.2.3", "1.-2.3", "1.2.3-", "+1.2.3"])
  func `another text is no version`(_ text: String) {
    #expect(SemanticVersion(text) == nil)
    #expect(!ProductVersion.isNewer(than: text))
  }

  @Test func `only an older version is older`() {
    #expect(ProductVersion.isNewer(than: "0.0.1"))
    #expect(!ProductVersion.isNewer(than: ProductVersion.text))
    #expect(!ProductVersion.isNewer(than: ProductVersion.text + "+build"))
    #expect(!ProductVersion.isNewer(than: "99.0.0"))
  }
}
