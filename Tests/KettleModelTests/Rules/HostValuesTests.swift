import KettleModel
import Testing

struct HostValuesTests {
  private var values: HostValues<Int> {
    var values = HostValues<Int>()
    values[name: "example.org"] = 1
    values[name: "DL.example.org."] = 2
    values[name: "10.0.0.1"] = 3
    values[name: "[::1]"] = 4
    values[name: "org"] = 5
    return values
  }

  @Test(arguments: [
    ("example.org", 1), ("EXAMPLE.org", 1), ("www.example.org", 1), ("dl.example.org", 2),
    ("a.dl.example.org.", 2), ("notexample.org", 5), ("10.0.0.1", 3), ("x.10.0.0.1", 3),
    ("[::1]", 4),
  ])
  func `the longest name counts`(host: String, value: Int) {
    #expect(values.value(for: host) == value)
  }

  @Test(arguments: ["example.com", "0.0.1", "20.0.0.1", "[::2]", ""])
  func `another host has no value`(host: String) { #expect(values.value(for: host) == nil) }

  @Test func `names are compared as hosts`() {
    #expect(HostName.isHost("a.example.org", atOrBelow: "example.org"))
    #expect(HostName.isHost("Example.ORG.", atOrBelow: "example.org"))
    #expect(!HostName.isHost("badexample.org", atOrBelow: "example.org"))
    #expect(!HostName.isHost("1.10.0.0", atOrBelow: "10.0.0"))
    for name in ["example.org", "localhost", "10.0.0.1", "[::1]", "xn--bcher-kva.example"] {
      #expect(HostName.isUsable(name), "\(name)")
    }
    for name in ["", "a b", "http://a", "a/b", "a:80", "me@a", "a?b", "::1"] {
      #expect(!HostName.isUsable(name), "\(name)")
    }
  }
}
