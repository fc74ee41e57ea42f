import CKettleCurl
import FoundationEssentials
import KettleModel

extension OriginBehavior.LoginScheme {
  fileprivate static let realm = "kettle"
  fileprivate static let nonce = "once-and-for-all"

  /// The value of WWW-Authenticate.
  var challenge: String {
    switch self {
    case .basic: "Basic realm=\"\(Self.realm)\""
    case .digest:
      "Digest realm=\"\(Self.realm)\", nonce=\"\(Self.nonce)\", qop=\"auth\", algorithm=MD5"
    }
  }
}

extension OriginRequest {
  /// Whether the request has this login in this scheme.
  func hasLogin(_ login: Login, by scheme: OriginBehavior.LoginScheme) -> Bool {
    guard let said = value(of: "Authorization") else { return false }
    switch scheme {
    case .basic:
      let pair = Data((login.user + ":" + login.password).utf8).base64EncodedString()
      return said == "Basic " + pair
    case .digest:
      guard said.hasPrefix("Digest ") else { return false }
      return hasDigest(login, Self.parameters(said.dropFirst("Digest ".count)))
    }
  }

  /// RFC 7616, section 3.4.1.
  private func hasDigest(_ login: Login, _ said: [String: String]) -> Bool {
    let scheme = OriginBehavior.LoginScheme.self
    let identity = Self.md5("\(login.user):\(scheme.realm):\(login.password)")
    let target = path + (query.map { "?" + $0 } ?? "")
    let asked = Self.md5("\(method):\(target)")
    let proof = [
      identity, scheme.nonce, said["nc"] ?? "", said["cnonce"] ?? "", "auth", asked,
    ]
    return said["uri"] == target && said["nonce"] == scheme.nonce
      && said["response"] == Self.md5(proof.joined(separator: ":"))
  }

  /// No value here contains a comma.
  private static func parameters(_ text: Substring) -> [String: String] {
    var parameters: [String: String] = [:]
    for part in text.split(separator: ",") {
      let pair = part.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
      guard pair.count == 2 else { continue }
      parameters[String(pair[0])] = pair[1].filter { $0 != "\"" }
    }
    return parameters
  }

  private static func md5(_ text: String) -> String {
    let bytes = Array(text.utf8)
    var digest = [UInt8](repeating: 0, count: 16)
    EVP_Digest(bytes, bytes.count, &digest, nil, EVP_md5(), nil)
    return digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
