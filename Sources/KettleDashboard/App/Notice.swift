import KettleModel

/// A sentence for the message line.
package struct Notice: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    case plain, problem

    var role: Role {
      switch self {
      case .plain: .heading
      case .problem: .problem
      }
    }

    fileprivate var milliseconds: Int64 {
      switch self {
      case .plain: 5000
      case .problem: 10_000
      }
    }
  }

  package var text: String
  package var kind: Kind
  package var until: MonotonicTime

  /// - Parameter milliseconds: How long it is shown; nil is long enough to read it.
  init(text: String, kind: Kind, from now: MonotonicTime, for milliseconds: Int64? = nil) {
    self.text = text
    self.kind = kind
    until = now.advanced(byMilliseconds: milliseconds ?? kind.milliseconds)
  }
}
