/// A desktop notification for a person who is not watching a Kettle screen: plain text, safe to
/// show.
package struct Alert: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    case finished
    case trouble
  }

  package var kind: Kind
  /// One line, shown in bold by most desktops.
  package var summary: String
  package var body: String

  package init(kind: Kind, summary: String, body: String) {
    self.kind = kind
    self.summary = summary
    self.body = body
  }
}
