import KettleModel
import TestSupport

/// One cell of the matrix: the kind of credential, the target of the redirect, its status, and when
/// it comes.
struct CredentialCase: Sendable, CustomStringConvertible {
  enum Kind: Sendable, CaseIterable {
    case header, authorization, cookie, login, userinfo
  }

  enum Place: Sendable, CaseIterable {
    case otherHost, otherName, otherPort
  }

  enum Start: Sendable, CaseIterable {
    case fresh, resumed
  }

  var kind: Kind
  var place: Place
  var status: Int
  var start: Start

  static let all: [CredentialCase] = Kind.allCases.flatMap { kind in
    Place.allCases.flatMap { place in
      [301, 302, 303, 307, 308].flatMap { status in
        Start.allCases.map {
          CredentialCase(kind: kind, place: place, status: status, start: $0)
        }
      }
    }
  }

  var description: String { "\(kind), \(place), \(status), \(start)" }
}

/// A secret that only the origin for which it was given may receive.
enum Secret {
  static let text = "s3cr3t-t0ken"
  static let login = Login(user: "ada", password: text)
  /// `ada:s3cr3t-t0ken` in Base64, as Basic sends it.
  static let basic = "YWRhOnMzY3IzdC10MGtlbg=="

  static func isIn(_ text: String) -> Bool {
    text.contains(Self.text) || text.contains(basic) || text.contains("ada")
  }

  static func isIn(_ request: OriginRequest) -> Bool {
    isIn(request.path + (request.query ?? ""))
      || request.headers.contains { isIn($0.name) || isIn($0.value) }
  }

  /// Puts the secret into the transfer as the given kind of credential.
  static func give(_ kind: CredentialCase.Kind, to spec: inout TransferSpec) throws {
    switch kind {
    case .header: spec.headers = [HeaderField(received: "X-Api-Key", text)]
    case .authorization: spec.headers = [HeaderField(received: "Authorization", "Bearer " + text)]
    case .cookie: spec.headers = [HeaderField(received: "Cookie", "session=" + text)]
    case .login: spec.login = login
    case .userinfo:
      let whole = spec.url.text.replacing("http://", with: "http://ada:\(text)@")
      let parsed = try TransferURL.parse(whole).get()
      spec.source = ChainedURL(given: parsed.url)
      spec.login = parsed.login
    }
  }
}
