import KettleCurl
import KettleEngine
import KettleModel
import Testing
import TestSupport

/// Requests to S3 that are signed, judged by the rules of the service
/// (https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html).
struct SignedRequestTests {
  let origin: ScriptedOrigin
  let probe: TransportProbe

  init() throws {
    origin = try ScriptedOrigin()
    probe = try TransportProbe()
  }

  private static let login = Login(
    user: "AKIDEXAMPLE", password: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
    signing: Login.Signing(region: "eu-west-1", sessionToken: "a+token/="))

  private func fetch(_ path: String, _ login: Login?) async throws -> OriginRequest {
    let body = SeededBody(seed: 1, byteCount: 1000)
    origin.serve(OriginBehavior(body), at: String(path.prefix { $0 != "?" }))
    _ = try await probe.fetch(origin.url(path)) {
      $0.login = login
      $0.headers = [HeaderField(received: "Range", "bytes=10-19")]
    }
    return try #require(origin.requests.last)
  }

  /// The fields of an `Authorization` header.
  private func fields(of request: OriginRequest) throws -> [String: String] {
    let header = try #require(request.value(of: "Authorization"))
    #expect(header.hasPrefix("AWS4-HMAC-SHA256 "))
    var fields: [String: String] = [:]
    for field in header.dropFirst("AWS4-HMAC-SHA256 ".count).split(separator: ",") {
      let parts = field.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
      fields[String(try #require(parts.first))] = String(try #require(parts.last))
    }
    return fields
  }

  /// The signature that the service computes of what has arrived.
  private func signature(
    of request: OriginRequest, _ path: String, signed names: [Substring], scope: String
  ) throws -> String {
    let date = try #require(request.value(of: "x-amz-date"))
    let payload = request.value(of: "x-amz-content-sha256")
    #expect(payload == TestDigest.hex(of: [], .sha256))
    let query = (request.query ?? "").split(separator: "&").sorted().joined(separator: "&")
    let headers = try names.map { name in
      let value = try #require(request.value(of: String(name)), "\(name) is signed and not sent")
      return "\(name):\(value)\n"
    }
    let canonical = [
      "GET", path, query, headers.joined(), names.joined(separator: ";"), try #require(payload),
    ].joined(separator: "\n")
    let text = [
      "AWS4-HMAC-SHA256", date, scope,
      try #require(TestDigest.hex(of: Array(canonical.utf8), .sha256)),
    ].joined(separator: "\n")
    var key = Array(("AWS4" + Self.login.password).utf8)
    for part in scope.split(separator: "/") {
      key = try #require(TestDigest.hmac(Array(part.utf8), key: key))
    }
    let signature = try #require(TestDigest.hmac(Array(text.utf8), key: key))
    return signature.map { byte in
      (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }.joined()
  }

  @Test(arguments: [
    ("/data/a.bin", ""), ("/data/a%20b/%C3%A4%2B%25.bin", ""),
    ("/data/", "continuation-token=a%2Bb%3D&encoding-type=url&list-type=2&prefix=x%2F"),
  ])
  func `the service computes the same signature`(path: String, query: String) async throws {
    let request = try await fetch(query.isEmpty ? path : path + "?" + query, Self.login)
    let fields = try fields(of: request)
    let credential = try #require(fields["Credential"])
    #expect(credential.hasPrefix("AKIDEXAMPLE/"))
    #expect(credential.hasSuffix("/eu-west-1/s3/aws4_request"))
    let scope = String(credential.dropFirst("AKIDEXAMPLE/".count))
    let names = try #require(fields["SignedHeaders"]).split(separator: ";")
    #expect(names.contains("host") && names.contains("x-amz-date"))
    #expect(names.contains("x-amz-security-token") && names.contains("x-amz-content-sha256"))
    #expect(
      try signature(of: request, path, signed: names, scope: scope) == fields["Signature"])
    #expect(request.value(of: "x-amz-security-token") == "a+token/=")
    let sent = request.headers.map(\.value).joined(separator: "\n")
    #expect(!sent.contains(Self.login.password))
  }

  @Test func `connections are kept`() async throws {
    var plain = Self.login
    plain.signing = nil
    let first = try await fetch("/data/a", Self.login)
    let second = try await fetch("/data/b", Self.login)
    #expect(first.connection == second.connection)
    #expect(first.value(of: "Authorization") != second.value(of: "Authorization"))
    let other = try await fetch("/data/c", plain)
    #expect(other.connection != first.connection)
  }

  @Test func `a login without a region is not signed`() async throws {
    var login = Self.login
    login.signing = nil
    let request = try await fetch("/data/a", login)
    #expect(request.value(of: "Authorization")?.hasPrefix("AWS4") != true)
    #expect(request.value(of: "x-amz-security-token") == nil)
  }
}
