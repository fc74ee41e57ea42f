/// Why the service did not do what it was asked: the `error` of a JSON-RPC reply.
///
/// Codes and values, never English; the client makes the sentence (`Commands/Sentences.swift`).
package struct ControlError: Error, Codable, Hashable, Sendable {
  /// The numbers of JSON-RPC 2.0, section 5.1, and our own from -32000 down.
  package enum Code: Int, Codable, Sendable, CaseIterable {
    case parseError = -32700
    case invalidRequest = -32600
    case methodNotFound = -32601
    case invalidParams = -32602
    case internalError = -32603
    /// The two sides speak different versions; `message` is the service's.
    case versionMismatch = -32000
    /// Something was asked before `hello`.
    case helloMissing = -32001
    case unknownTransfer = -32002
    /// The store cannot keep it (disk full, for example); nothing was queued.
    case cannotKeep = -32003
    /// The request is not one that can be kept; `message` says which part.
    case refusedSpec = -32004
    /// The service is ending.
    case stopping = -32005
    /// Another program is connected for this session; `message` is its process identifier.
    case sessionInUse = -32006
    /// Nothing is known of a session of this name; `message` is the name.
    case unknownSession = -32007
    /// Only the program that is connected for a session may ask this.
    case notAttached = -32008
    /// As many connections are open as there may be; `message` is how many. The service says it
    /// without being asked, and closes the connection.
    case tooManyConnections = -32009
  }

  package var code: Code
  /// The value that goes with the code: a method, a field, a version, an id.
  package var message: String

  package init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }
}
