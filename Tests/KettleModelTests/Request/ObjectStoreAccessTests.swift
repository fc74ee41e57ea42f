import KettleModel
import Testing

/// How an object store is reached, as an environment says.
struct ObjectStoreAccessTests {
  private func keys(_ environment: [String: String]) -> AccessKeySource? {
    ObjectStoreAccess(["HOME": "/home/a"].merging(environment) { $1 }).keys
  }

  private func container(_ url: String) -> ContainerKeys? {
    ContainerKeys(["AWS_CONTAINER_CREDENTIALS_FULL_URI": url])
  }

  @Test func `an environment that says nothing leaves everything to the service`() {
    #expect(ObjectStoreAccess(["HOME": "/home/a"]) == ObjectStoreAccess())
  }

  @Test func `a key of the environment comes before files, and an empty one signs nothing`() {
    let given = keys([
      "AWS_ACCESS_KEY_ID": "K", "AWS_SECRET_ACCESS_KEY": "s", "AWS_SESSION_TOKEN": "t",
      "AWS_PROFILE": "work",
    ])
    guard case .given(let login)? = given else {
      Issue.record("No key: \(String(describing: given))")
      return
    }
    #expect(login.user == "K" && login.signing?.sessionToken == "t")
    #expect(keys(["AWS_ACCESS_KEY_ID": ""]) == .unsigned)
    #expect(
      keys(["AWS_PROFILE": "work"])
        == .searched(AccessProfile(["HOME": "/home/a", "AWS_PROFILE": "work"]), nil))
  }

  @Test(
    arguments: [
      ("https://keys.example/role", true), ("http://127.0.0.1:5/x", true),
      ("http://localhost/x", true), ("http://[::1]/x", true), ("http://169.254.170.2/x", true),
      ("http://169.254.170.23/x", true), ("http://keys.example/role", false),
      ("http://127.0.0.1.example/x", false), ("http://169.254.169.254/x", false),
      ("ftp://127.0.0.1/x", false), ("nothing", false),
    ])
  func `keys are asked for without TLS only of this machine and of Amazon's agents`(
    _ url: String, _ isUsed: Bool
  ) {
    #expect((container(url) != nil) == isUsed)
  }

  @Test func `what one does not say comes from the next`() throws {
    let one = ObjectStoreAccess(region: "eu-west-1")
    let other = ObjectStoreAccess(
      endpoint: ObjectStoreAccess.endpoint("http://minio:9000"), region: "us-east-2",
      keys: .unsigned)
    let both = one.completed(by: other)
    #expect(both.region == "eu-west-1" && both.keys == .unsigned)
    #expect(both.endpoint?.host == "minio")
  }

  @Test func `a profile may name its endpoint and region`() {
    let contents = AccessProfile(["HOME": "/h"], name: "work").contents { path in
      path == "/h/.aws/config"
        ? "[profile work]\nregion = eu-west-3\nendpoint_url = https://s3.example\n"
        : "[work]\naws_access_key_id = K\naws_secret_access_key = s\n"
    }
    #expect(contents.region == "eu-west-3")
    #expect(contents.endpoint?.host == "s3.example")
    #expect(contents.login?.signing?.region == "eu-west-3")
  }
}

/// `s3://BUCKET/PREFIX` in the place of a directory.
struct ObjectPrefixTests {
  @Test(
    arguments: [
      ("s3://data", "data", ""), ("s3://data/", "data", ""), ("S3://data/raw/", "data", "raw"),
      ("s3://my.data-1/a b/ü", "my.data-1", "a b/ü"),
    ])
  func `a prefix is a bucket and the beginning of keys`(
    _ text: String, _ bucket: String, _ prefix: String
  ) throws {
    let read = try #require(ObjectPrefix(text))
    #expect(read.bucket == bucket && read.prefix == prefix)
    #expect(ObjectPrefix(read.text) == read)
  }

  @Test(
    arguments: [
      "", "s3:", "s3://", "s3:///a", "s3://x", "s3://Data/a", "s3://a..b/c", "s3://data//a",
      "s3://data/../a", "s3://data/.", "s3://data/a\u{0}b", "/home/s3://data", "s4://data",
      "s3://data/" + String(repeating: "k", count: 1024),
    ])
  func `other texts are none`(_ text: String) { #expect(ObjectPrefix(text) == nil) }

  @Test func `keys have a limit and no dots alone`() throws {
    let prefix = try #require(ObjectPrefix("s3://data/raw"))
    #expect(prefix.key(of: "a.iso") == "raw/a.iso")
    #expect(ObjectPrefix("s3://data")?.key(of: "a.iso") == "a.iso")
    #expect(prefix.key(of: "..") == nil)
    #expect(prefix.key(of: String(repeating: "k", count: 1020)) != nil)
    #expect(prefix.key(of: String(repeating: "k", count: 1021)) == nil)
  }
}
