import KettleModel

/// The reason for refusing a call, with the code and message of the reply.
package struct RPCError: Error, Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    /// The text is not JSON, or larger than `RPCLimits` allow.
    case notJSON
    case invalidRequest
    case invalidParams
    /// A problem of the method itself.
    case refused
    case unauthorized
  }

  package let kind: Kind
  package let message: String

  private init(_ kind: Kind, _ message: String) {
    self.kind = kind
    // Names in it come from files and clients.
    self.message = message.sanitizedForDisplay(limit: .max)
  }

  /// JSON-RPC 2.0, section 5.1; every problem of a method is 1, as in aria2.
  package var code: Int64 {
    switch kind {
    case .notJSON: -32700
    case .invalidRequest: -32600
    case .invalidParams: -32602
    case .refused, .unauthorized: 1
    }
  }

  /// The status of the HTTP response, which some clients look at instead of the code.
  package var httpStatus: Int {
    switch kind {
    case .notJSON, .invalidParams: 500
    case .invalidRequest, .refused, .unauthorized: 400
    }
  }

  package var object: RPCValue {
    ["code": .integer(code), "message": .text(message)]
  }

  /// In XML-RPC.
  package var fault: RPCValue {
    ["faultCode": .integer(code), "faultString": .text(message)]
  }
}

/// Clients compare some of these texts, so they are aria2's.
extension RPCError {
  package static let notJSON = RPCError(.notJSON, "Parse error.")
  package static let invalidRequest = RPCError(.invalidRequest, "Invalid Request.")
  package static let invalidParams = RPCError(.invalidParams, "Invalid params.")
  package static let unauthorized = RPCError(.unauthorized, "Unauthorized")

  package static func refused(_ message: String) -> RPCError { RPCError(.refused, message) }

  package static func noSuchMethod(_ name: String) -> RPCError {
    .refused("No such method: \(String(name.prefix(200)))")
  }

  package static func invalidGID(_ text: String) -> RPCError {
    .refused("Invalid GID \(String(text.prefix(200)))")
  }

  package static func unknownGID(_ text: String) -> RPCError {
    .refused("GID \(text) is not found")
  }
  package static func ambiguousGID(_ text: String) -> RPCError {
    .refused("GID \(text) is not unique")
  }

  package static func noDownload(_ gid: GID) -> RPCError {
    .refused("No such download for GID#\(gid)")
  }

  package static func cannotBePaused(_ gid: GID) -> RPCError {
    .refused("GID#\(gid) cannot be paused now")
  }

  package static func cannotBeUnpaused(_ gid: GID) -> RPCError {
    .refused("GID#\(gid) cannot be unpaused now")
  }

  /// A parameter that is missing or has another type.
  package static func badParameter(at index: Int) -> RPCError {
    .refused("The parameter at \(index) has wrong type or is missing.")
  }
}
