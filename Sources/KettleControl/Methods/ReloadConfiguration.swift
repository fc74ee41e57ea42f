import KettleModel

/// Reads the configuration file again and applies what can change while the service runs.
package enum ReloadConfiguration: ControlMethod {
  package static let name = "service.reload"

  package struct Params: Codable, Hashable, Sendable {
    /// Goes on with the defaults if the file cannot be read: transfers that it holds back start.
    package var withoutFile: Bool?

    package init(withoutFile: Bool? = nil) { self.withoutFile = withoutFile }
  }

  package struct Result: Codable, Hashable, Sendable {
    /// One sentence for each setting that has no effect, and one if the settings in use stay.
    package var notices: [String]
    /// The tables of the file that changed and apply from the next start of the service on.
    package var pending: [String]

    package init(notices: [String], pending: [String]) {
      self.notices = notices
      self.pending = pending
    }
  }
}

/// Describes the interface for clients of aria2.
package enum DescribeRPC: ControlMethod {
  package static let name = "rpc.status"
  package typealias Params = Nothing

  package struct Result: Codable, Hashable, Sendable {
    /// nil while it is closed.
    package var port: Int?
    /// Why it is closed although it is enabled.
    package var problem: String?
    /// Where downloads may go.
    package var directories: [String]
    package var allowedOrigins: [String]

    package init(
      port: Int? = nil, problem: String? = nil, directories: [String] = [],
      allowedOrigins: [String] = []
    ) {
      self.port = port
      self.problem = problem
      self.directories = directories
      self.allowedOrigins = allowedOrigins
    }
  }
}
