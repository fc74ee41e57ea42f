import KettleModel

/// The texts of a decision.
extension Strings {
  static let onlyForCertificates = "only a certificate or host key can be trusted for the host"

  static func title(of decision: DecisionScreen) -> String {
    switch decision.subject {
    case .page: "Is this the file?"
    case .certificate: "Trust this server?"
    }
  }

  /// What the user needs to know, in lines that fit.
  static func facts(
    of decision: DecisionScreen, _ context: ScreenContext, width: Int
  ) -> [String] {
    let name = "\"" + decision.row.shownTitle.sanitizedForDisplay(limit: 80) + "\""
    switch decision.subject {
    case .page(let title):
      let named = title.map { ": \"" + $0.sanitizedForDisplay(limit: 80) + "\"" } ?? ""
      return Fold.lines("A web page arrived instead of \(name)\(named)", width: width) + [""]
    case .certificate(let certificate, let problem):
      let because = problem.map { ": " + $0.sanitizedForDisplay(limit: 80) } ?? ""
      let origin = certificate.origin.sanitizedForDisplay(limit: 60)
      let sentence = "\(name) comes from \(origin), which is not trusted\(because)"
      if certificate.isHostKey {
        return Fold.lines(sentence, width: width) + hostKey(certificate) + [""]
      }
      return Fold.lines(sentence, width: width) + fingerprint(certificate, width: width)
        + [
          "issued to  " + issued(certificate.subject), "issued by  " + issued(certificate.issuer),
          "valid      " + validity(certificate, context.clock), "",
        ]
    }
  }

  private static func hostKey(_ key: ServerCertificate) -> [String] {
    ["host key   " + issued(key.subject), key.hostKeyFingerprint]
  }

  private static func issued(_ name: String) -> String {
    name.isEmpty ? "(no name)" : name.sanitizedForDisplay(limit: 60)
  }

  private static func validity(_ certificate: ServerCertificate, _ clock: ClockText) -> String {
    let from = certificate.validFrom.map { clock.full($0).prefix(10) } ?? "?"
    let until = certificate.validUntil.map { clock.full($0).prefix(10) } ?? "?"
    return from + " to " + until
  }

  /// In lines of sixteen or eight pairs of digits.
  private static func fingerprint(_ certificate: ServerCertificate, width: Int) -> [String] {
    let digits = Array(certificate.fingerprint.uppercased().sanitizedForDisplay(limit: 64))
    let pairs = stride(from: 0, to: digits.count - 1, by: 2).map { String(digits[$0...($0 + 1)]) }
    let title = "SHA-256    "
    let count = width >= title.count + 47 ? 16 : 8
    return stride(from: 0, to: pairs.count, by: count).map { first in
      (first == 0 ? title : String(repeating: " ", count: title.count))
        + pairs[first..<min(first + count, pairs.count)].joined(separator: ":")
    }
  }

  struct Answer {
    var action: String
    var text: String
  }

  static func answers(to decision: DecisionScreen) -> [Answer] {
    let first: [Answer] =
      switch decision.subject {
      case .page: [Answer(action: "yes", text: "take the page as the file")]
      case .certificate:
        [
          Answer(action: "yes", text: "trust it for this transfer"),
          Answer(action: "decide-for-host", text: "trust it for every transfer from this host"),
        ]
      }
    return first + [
      Answer(action: "decide-retry", text: "request the file again"),
      Answer(action: "decide-link", text: "set a new link"),
      Answer(action: "decide-remove", text: "remove it from the list"),
      Answer(action: "no", text: "decide later"),
    ]
  }
}
