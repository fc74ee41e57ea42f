import KettleModel
import Testing

@testable import KettleConfiguration

struct HostsTableTests {
  private func read(_ text: String) -> (ServiceConfiguration, [ConfigurationProblem]) {
    ServiceConfiguration.read(Array(text.utf8))
  }

  private func expectation(of key: String) throws -> String {
    try #require(ConfigurationKeys.host("HOST").first { $0.lastName == key }).expectation
  }

  private func origin(_ text: String) throws -> Origin {
    try TransferURL.parse(text).get().url.origin
  }

  @Test func `every key of a host has its effect`() throws {
    let (configuration, problems) = read(
      """
      [hosts.Example.org]
      connections = 2
      proxy = "none"
      headers-file = "~/h"
      netrc = false
      user-agent = "Mine/1"
      [hosts."dl.example.org"]
      connections = 9
      proxy = "http://p:1"
      headers-file = "/etc/h"
      headers-for = ["https://dl.example.org:8443", "http://a.dl.example.org/"]
      """)
    #expect(problems.isEmpty)
    let settings = configuration.hostSettings(home: "/home/me")
    #expect(settings.connectionsMax.value(for: "www.example.org") == 2)
    #expect(settings.connectionsMax.value(for: "dl.example.org") == 9)
    #expect(settings.usesNetrc.value(for: "dl.example.org") == false)
    #expect(settings.userAgent.value(for: "dl.example.org") == "Mine/1")
    #expect(
      configuration.proxyOfHost == ["example.org": .none, "dl.example.org": .through("http://p:1")])
    #expect(
      settings.headerPaths == [
        try origin("https://example.org/"): "/home/me/h",
        try origin("https://dl.example.org:8443/"): "/etc/h",
        try origin("http://a.dl.example.org/"): "/etc/h",
      ])
  }

  @Test(arguments: [
    ("connections", ["0", "65", "\"4\""]), ("netrc", ["\"no\"", "0"]),
    ("user-agent", ["\"\"", "\"a\\nb\"", "1"]),
  ])
  func `a wrong value has no effect`(key: String, values: [String]) throws {
    let expectation = try expectation(of: key)
    for value in values {
      let (configuration, problems) = read("[hosts.a.example]\n\(key) = \(value)\n")
      #expect(configuration == ServiceConfiguration(), "\(value)")
      #expect(
        problems == [
          ConfigurationProblem(
            .wrongValue("hosts.a.example.\(key)", mustBe: expectation), line: 2)
        ], "\(value)")
    }
  }

  @Test func `a wrong proxy or file is not the same as none`() throws {
    let (configuration, problems) = read(
      "[hosts.a.example]\nproxy = \"ftp://p\"\nheaders-file = \"relative\"\n")
    #expect(problems.map(\.line) == [2, 3])
    #expect(configuration.proxyOfHost == ["a.example": .unusable])
    let paths = configuration.hostSettings(home: "/").headerPaths
    #expect(paths == [try origin("https://a.example/"): ""])
  }

  @Test(arguments: [
    "[]", "\"https://a.example\"", "[\"https://b.example\"]", "[\"https://a.example/x\"]",
    "[\"ftp://a.example\"]", "[\"https://me@a.example\"]", "[\"https://nota.example\"]",
  ])
  func `headers with wrong origins go nowhere`(value: String) throws {
    let expectation = try expectation(of: "headers-for")
    let (configuration, problems) = read(
      "[hosts.a.example]\nheaders-file = \"/h\"\nheaders-for = \(value)\n")
    #expect(
      problems == [
        ConfigurationProblem(
          .wrongValue("hosts.a.example.headers-for", mustBe: expectation),
          line: 3)
      ])
    #expect(configuration.hostSettings(home: "/").headerPaths.isEmpty)
  }

  @Test func `of two files for an origin, the one of the longest name counts`() throws {
    let (configuration, problems) = read(
      """
      [hosts."z.example"]
      headers-file = "/z"
      headers-for = ["https://a.z.example"]
      [hosts."a.z.example"]
      headers-file = "/a"
      """)
    #expect(problems.isEmpty)
    let paths = configuration.hostSettings(home: "/").headerPaths
    #expect(paths == [try origin("https://a.z.example/"): "/a"])
  }

  @Test func `of two proxies for a host, the one of its table counts and both are named`() {
    let texts = [
      "[proxy.hosts]\na.example = \"http://p:1\"\n[hosts.a.example]\nproxy = \"http://q:2\"\n",
      "[hosts.\"a.example\"]\nproxy = \"http://q:2\"\n[proxy.hosts]\nA.example = \"http://p:1\"\n",
    ]
    for text in texts {
      let (configuration, problems) = read(text)
      #expect(configuration.proxyOfHost == ["a.example": .through("http://q:2")])
      #expect(problems.count == 1)
      let sentence = problems.first?.sentence(path: "/c") ?? ""
      #expect(sentence.hasPrefix("\"hosts.a.example.proxy\" in line "), "\(sentence)")
      #expect(
        sentence.lowercased().hasSuffix(
          "counts in place of \"proxy.hosts.a.example\"; remove one of them and run "
            + "\"kettle config reload\""), "\(sentence)")
    }
  }

  @Test(arguments: [
    ("hosts.a.example.conections", "hosts.a.example.connections"),
    ("hosts.a.example.user_agent", "hosts.a.example.user-agent"),
    ("hosts.a.example.header-file", "hosts.a.example.headers-file"),
  ])
  func `an unknown key is reported with the nearest one`(key: String, nearest: String) {
    let problem = read("\(key) = 1\n").1.first
    #expect(problem?.what == .unknownKey(key))
    #expect(problem?.sentence(path: "/c").contains("did you mean \"\(nearest)\"?") == true)
  }

  @Test func `what is no host is unknown`() {
    #expect(read("[hosts]\nconnections = 1\n").1.map(\.what) == [.unknownKey("hosts.connections")])
    #expect(
      read("[hosts.\"a/b\"]\nconnections = 1\n").1.map(\.what)
        == [.unknownKey("hosts.a/b.connections")])
  }

  @Test func `an address of IPv6 is a host in quotes`() {
    let (configuration, problems) = read("[hosts.\"[2001:db8::1]\"]\nconnections = 3\n")
    #expect(problems.isEmpty)
    #expect(configuration.hosts.connectionsMax.value(for: "[2001:db8::1]") == 3)
  }

  @Test func `a host is set like other keys`() throws {
    var editor = try ConfigurationEditor([])
    try editor.set("hosts.dl.example.org.connections", toWords: ["4"])
    try editor.set("hosts.dl.example.org.headers-file", toWords: ["~/secret"])
    #expect(
      String(decoding: editor.bytes, as: UTF8.self)
        == "[hosts.dl.example.org]\nconnections = 4\nheaders-file = \"~/secret\"\n")
    #expect(editor.value(of: "hosts.dl.example.org.headers-file") == "\"~/secret\"")
  }

  @Test func `the address of a host is put into quotes`() throws {
    var editor = try ConfigurationEditor([])
    try editor.set("hosts.[2001:db8::1].connections", toWords: ["4"])
    try editor.set("hosts.[2001:db8::1].netrc", toWords: ["false"])
    #expect(
      String(decoding: editor.bytes, as: UTF8.self)
        == "[hosts.\"[2001:db8::1]\"]\nconnections = 4\nnetrc = false\n")
    var dotted = try ConfigurationEditor(
      Array("hosts.\"[::ffff:10.0.0.1]\".netrc = true\n".utf8))
    try dotted.set("hosts.[::ffff:10.0.0.1].connections", toWords: ["4"])
    #expect(
      String(decoding: dotted.bytes, as: UTF8.self)
        == "hosts.\"[::ffff:10.0.0.1]\".netrc = true\n"
        + "hosts.\"[::ffff:10.0.0.1]\".connections = 4\n")
  }

  @Test func `only a changed proxy waits for another start`() {
    let started = read("").0
    #expect(
      read("[hosts.a]\nconnections = 3\nuser-agent = 'x'\nheaders-file = '/x'").0
        .tablesForRestart(since: started) == [])
    #expect(
      read("[hosts.a]\nproxy = 'none'").0.tablesForRestart(since: started) == ["proxy"])
    #expect(
      read("[[rules]]\nhost = 'a'\n[downloads]\non-conflict = 'skip'").0
        .tablesForRestart(since: started) == [])
    #expect(
      read("network.user-agent = 'x'").0.tablesForRestart(since: started) == ["network"])
  }
}
