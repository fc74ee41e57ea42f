/// Selects the transfers that match all set properties.
package struct RowFilter: Codable, Hashable, Sendable {
  package enum Scope: String, Codable, Sendable, CaseIterable {
    case all
    /// Excludes transfers that were cleared from view.
    case uncleared
  }

  /// The accepted states; nil accepts all.
  package var states: [TransferState]?
  package var session: SessionID?
  /// The host of the URL or a parent domain: `example.org` also matches `cdn.example.org`.
  package var host: String?
  /// Words separated by spaces. Each must occur in the title, the URL or the path, ignoring case.
  package var text: String?
  /// Accepts only transfers that continue only when the user does something.
  package var needsUser: Bool
  package var scope: Scope

  package init(
    states: [TransferState]? = nil, session: SessionID? = nil, host: String? = nil,
    text: String? = nil, needsUser: Bool = false, scope: Scope = .all
  ) {
    self.states = states
    self.session = session
    self.host = host
    self.text = text
    self.needsUser = needsUser
    self.scope = scope
  }
}

extension RowFilter {
  private enum CodingKeys: String, CodingKey { case states, session, host, text, needsUser, scope }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      states: try container.decodeIfPresent([TransferState].self, forKey: .states),
      session: try container.decodeIfPresent(SessionID.self, forKey: .session),
      host: try container.decodeIfPresent(String.self, forKey: .host),
      text: try container.decodeIfPresent(String.self, forKey: .text),
      needsUser: try container.decodeIfPresent(Bool.self, forKey: .needsUser) ?? false,
      scope: try container.decodeIfPresent(Scope.self, forKey: .scope) ?? .all)
  }
}
