import CKettlePostgres
import KettleFleet

/// The options of a connection string or URI of libpq
/// (https://www.postgresql.org/docs/15/libpq-connect.html#LIBPQ-CONNSTRING).
package struct ConnectionText: Sendable {
  /// By keyword, only those that the text sets.
  private(set) var options: [String: String]

  /// Throws `FleetError.refused` with libpq's message if the text is neither, and
  /// `FleetError.noLibrary` without libpq.
  package init(_ text: String) throws(FleetError) {
    if let problem = kettle_libpq_problem() {
      throw .noLibrary(String(cString: problem))
    }
    var message: UnsafeMutablePointer<CChar>?
    let parsed = PQconninfoParse(text, &message)
    defer {
      PQconninfoFree(parsed)
      PQfreemem(message)
    }
    guard let parsed else {
      throw .refused(message.map { String(cString: $0).oneLine } ?? "out of memory")
    }
    options = [:]
    var option = parsed
    while let keyword = option.pointee.keyword {
      if let value = option.pointee.val {
        options[String(cString: keyword)] = String(cString: value)
      }
      option += 1
    }
  }

  /// Whether the text itself has a password, which must not be stored or be seen in ps(1).
  package var hasPassword: Bool { options["password"] != nil || options["sslpassword"] != nil }

  /// Returns the text. Throws `FleetError.refused` with a sentence if it has a password.
  package static func withoutPassword(_ text: String) throws(FleetError) -> String {
    if try ConnectionText(text).hasPassword {
      throw .refused(
        "the database's address has a password in it; put that into ~/.pgpass, a service file or PGPASSWORD"
      )
    }
    return text
  }

  /// The options of a connection that notices within seconds when the other end is gone.
  var impatient: [String: String] {
    let defaults = [
      "connect_timeout": "3", "keepalives_idle": "2", "keepalives_interval": "1",
      "keepalives_count": "3", "tcp_user_timeout": "5000", "application_name": "kettle",
    ]
    return options.merging(defaults) { given, _ in given }
  }

  /// Whether all hosts of it are this machine. Without one, the socket of this machine is meant,
  /// unless libpq's environment says otherwise.
  var isOnThisMachine: Bool {
    guard options["service"] == nil else { return false }
    let hosts = options["hostaddr"] ?? options["host"] ?? ""
    return hosts.split(separator: ",").allSatisfy { host in
      host.hasPrefix("/") || host.hasPrefix("@") || host.hasPrefix("127.") || host == "::1"
        || host == "localhost"
    }
  }

  /// How long making a connection may take: `connect_timeout` for each host, at least two seconds
  /// as in libpq, which does not measure it for connections that do not block.
  var connectMilliseconds: Int64 {
    let seconds = impatient["connect_timeout"].flatMap { Int64($0) } ?? 3
    let hosts = (options["host"] ?? options["hostaddr"] ?? "").utf8.filter { $0 == 44 }.count + 1
    return (seconds < 1 ? 60 : min(max(seconds, 2), 60)) * 1000 * Int64(hosts)
  }
}

extension String {
  /// The lines of a message of libpq as one.
  var oneLine: String {
    split(whereSeparator: \.isNewline).map { line in
      String(line.drop { $0 == " " || $0 == "\t" })
    }.joined(separator: "; ")
  }
}
