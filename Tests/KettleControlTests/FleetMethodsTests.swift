import KettleControl
import KettleModel
import Testing

struct FleetMethodsTests {
  private let coder = RequestCoder()

  private func read(_ params: String) -> ReceivedRequest {
    coder.decode(bytes(#"{"jsonrpc":"2.0","id":7,"method":"fleet","params":\#(params)}"#))
  }

  @Test(arguments: [
    FleetRequest.initialize(database: "postgres://db/downloads"),
    .join(
      database: "postgres://db/downloads", name: "nas", labels: ["eu", "disk"], take: 40,
      roots: ["/srv", "s3://bucket/raw"]),
    .join(database: "service=x", name: nil, labels: [], take: nil, roots: []),
    .leave(isDraining: true), .status, .hosts, .origins, .doctor,
    .setOrigin(origin: "https://a.example", shares: 4, connections: nil),
    .limit(bytesPerSecond: 1), .limit(bytesPerSecond: nil),
    .drain(host: "nas", isDraining: false),
  ])
  func `every request survives a round trip`(request: FleetRequest) throws {
    let line = try coder.encode(ManageFleet.self, request, id: 7)
    #expect(coder.decode(line) == .request(.number(7), .fleet(request)))
  }

  @Test func `requests are objects with one member`() {
    #expect(read(#"{"status":{}}"#) == .request(.number(7), .fleet(.status)))
    #expect(
      read(#"{"limit":{"bytesPerSecond":5}}"#)
        == .request(.number(7), .fleet(.limit(bytesPerSecond: 5))))
    for params in ["{}", #"{"fly":{}}"#, #"{"status":{},"hosts":{}}"#] {
      guard case .refused(_, let error) = read(params) else {
        Issue.record("\(params) is accepted")
        continue
      }
      #expect(error.code == .invalidParams)
    }
  }

  @Test(arguments: [
    (FleetRequest.initialize(database: "postgres://me:secret@db/x"), "database"),
    (.initialize(database: ""), "database"),
    (.join(database: "d", name: "a b", labels: [], take: nil, roots: []), "labels"),
    (.join(database: "d", name: nil, labels: ["all"], take: nil, roots: []), "labels"),
    (.join(database: "d", name: nil, labels: [], take: -1, roots: []), "take"),
    (.join(database: "d", name: nil, labels: [], take: 0, roots: ["srv"]), "roots"),
    (.join(database: "d", name: nil, labels: [], take: 0, roots: ["s3://"]), "roots"),
    (.setOrigin(origin: "o", shares: 0, connections: nil), "shares"),
    (.setOrigin(origin: "o", shares: nil, connections: 0), "connections"),
    (.limit(bytesPerSecond: 0), "bytesPerSecond"),
  ])
  func `a request out of its bounds is refused`(request: FleetRequest, part: String) throws {
    let line = try coder.encode(ManageFleet.self, request, id: 7)
    #expect(
      coder.decode(line) == .refused(.number(7), ControlError(.invalidParams, "params." + part)))
  }

  @Test func `hello, additions, rows and totals carry what a fleet adds`() throws {
    func roundTrip<Method: ControlMethod>(
      _ method: Method.Type, _ params: Method.Params
    ) throws -> ReceivedRequest {
      coder.decode(try coder.encode(method, params, id: 7))
    }
    let hello = Hello.Params(client: "c", fleet: true)
    #expect(try roundTrip(Hello.self, hello) == .request(.number(7), .hello(hello)))
    let spec = try #require(ProtocolSamples.spec())
    let add = AddTransfers.Params(transfers: [spec], on: "nas")
    #expect(try roundTrip(AddTransfers.self, add) == .request(.number(7), .add(add)))
    let many = try #require(AddURLs.Params(urls: [spec.url], template: spec, on: "nas"))
    #expect(try roundTrip(AddURLs.self, many) == .request(.number(7), .addURLs(many)))
    let viewport = Viewport(filter: RowFilter(machine: "nas"), sort: RowSort(key: .machine))
    #expect(try roundTrip(ListTransfers.self, viewport) == .request(.number(7), .list(viewport)))
    var window = ProtocolSamples.window(first: 0)
    window.rows[0].machine = "nas"
    window.totals.fleet = FleetGlance(
      name: "downloads", problem: "p", silentSince: WallTime(millisecondsSince1970: 5))
    let line = try #require(ReplyCoder().encode(.viewport(window)))
    #expect(ReplyCoder().decode(line) == .notification(.viewport(window)))
  }

  @Test(arguments: [
    ("postgres://db/downloads", false, "downloads"),
    ("postgresql://me@db:5432/my%20files?sslmode=require", false, "my files"),
    ("postgres://me:secret@db/x", true, "x"), ("postgres://me:@db/x", false, "x"),
    ("postgres://db/x?password=secret", true, "x"),
    ("postgres://db/x?user=me&pass%77ord=secret", true, "x"),
    ("postgres://db/x?sslpassword=secret", true, "x"), ("postgres://db", false, "postgres"),
    ("postgres:///?host=/run&dbname=y", false, "y"),
    ("host=db dbname=downloads", false, "downloads"),
    ("host=db dbname = 'downloads' password = 'x y'", true, "downloads"),
    ("host=db PASSWORD=x", true, "postgres"), ("service=farm", false, "farm"),
    ("host=db passfile=/home/me/.pgpass dbname=d", false, "d"),
  ])
  func `a database string tells its name, and whether it has a password`(
    text: String, hasPassword: Bool, name: String
  ) {
    let database = FleetDatabase(text)
    #expect(database.hasPassword == hasPassword)
    #expect(database.name == name)
  }
}
