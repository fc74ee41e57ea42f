import Foundation
import TestSupport

/// nginx on the loopback: each path below `/file/` is the same file, at a bounded rate.
final class NginxServer: Sendable {
  /// What each file contains.
  let body: SeededBody
  let port: Int
  /// The status of each response, a line each, when it has ended.
  let statuses: FileLines
  private let home: ServerHome
  private let directory: String
  private let options: Options
  private let current: Monitor<ServerProgram?>

  struct Options: Sendable {
    var byteCount: Int64 = 100_000
    var bytesPerSecond = 10_000_000
    /// More requests at once get a 503; nil: no limit.
    var requestsMax: Int?
    /// Serves TLS with this certificate.
    var identity: TestAuthority.Identity?
    /// Accepts only clients with a certificate of this authority.
    var clientAuthorityPath: String?
    /// What each file contains.
    var seed: UInt64 = 1
    /// Offers HTTP/2 beside HTTP/1.1.
    var hasHTTP2 = false
    /// A connection is closed after so many requests.
    var requestsPerConnectionMax = 1000
  }

  init(_ options: Options = Options(), home: ServerHome) async throws {
    self.home = home
    self.options = options
    body = SeededBody(seed: options.seed, byteCount: options.byteCount)
    port = try ServerProgram.freePort()
    directory = try home.directory("nginx-\(port)")
    try FileManager.default.createDirectory(
      atPath: directory + "/logs", withIntermediateDirectories: true)
    statuses = try FileLines(directory + "/logs/statuses", in: directory + "/logs")
    try Data(body.bytes).write(to: URL(filePath: directory + "/one.bin"))
    current = Monitor(nil)
    try await start()
  }

  var origin: String { (options.identity == nil ? "http" : "https") + "://127.0.0.1:\(port)" }

  func urls(count: Int, host: String = "127.0.0.1") -> [String] {
    (0..<count).map {
      "\(options.identity == nil ? "http" : "https")://\(host):\(port)/file/\($0).bin"
    }
  }

  /// The protocol, the connection and the status of each response, in the same order.
  func requests() throws -> [Request] {
    let text = try String(contentsOfFile: directory + "/logs/requests", encoding: .utf8)
    return text.split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ").map(String.init)
      return words.count == 3
        ? Request(version: words[0], connection: words[1], status: words[2]) : nil
    }
  }

  struct Request: Hashable {
    var version: String
    var connection: String
    var status: String
  }

  func start() async throws {
    try writeConfiguration(requestsMax: options.requestsMax)
    let program = try ServerProgram(
      ["nginx", "-e", directory + "/errors", "-c", directory + "/nginx.conf"], home: home,
      output: directory + "/output")
    current.update { $0 = program }
    try await ServerProgram.waitUntilListening(at: port, in: home)
  }

  /// Ends all connections and refuses others, until it is started again.
  func stop() async {
    let program = current.update { program in
      defer { program = nil }
      return program
    }
    await program?.stop()
  }

  /// Requests that begin from now on are not limited in number.
  func liftLimit() throws {
    try writeConfiguration(requestsMax: nil)
    // A new worker takes over from the one that keeps its connections (nginx(8), HUP).
    current.read { $0 }?.send(SIGHUP)
  }

  private func writeConfiguration(requestsMax: Int?) throws {
    let limit = requestsMax.map { "limit_conn requests \($0);" } ?? ""
    let tls = options.identity.map {
      "ssl_certificate \($0.certificatePath); ssl_certificate_key \($0.keyPath);"
    }
    let client = options.clientAuthorityPath.map {
      "ssl_client_certificate \($0); ssl_verify_client on;"
    }
    let folders = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map {
      "\($0)_temp_path \(directory)/\($0);"
    }.joined(separator: " ")
    let text = """
      \(geteuid() == 0 ? "user root;" : "")
      daemon off;
      worker_processes 1;
      pid \(directory)/pid;
      error_log \(directory)/errors;
      events { worker_connections 1024; }
      http {
        log_format status '$status';
        log_format request '$server_protocol $connection $status';
        access_log \(directory)/logs/statuses status;
        keepalive_requests \(options.requestsPerConnectionMax);
        \(folders)
        limit_conn_zone $server_port zone=requests:1m;
        server {
          listen 127.0.0.1:\(port) \(tls == nil ? "" : "ssl")\(options.hasHTTP2 ? " http2" : "");
          \(tls ?? "") \(client ?? "")
          root \(directory);
          location /file/ {
            access_log \(directory)/logs/statuses status;
            access_log \(directory)/logs/requests request;
            try_files /one.bin =404;
            limit_rate \(options.bytesPerSecond);
            \(limit)
          }
        }
      }
      """
    try text.write(toFile: directory + "/nginx.conf", atomically: false, encoding: .utf8)
  }
}
