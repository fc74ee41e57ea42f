import KettleModel
import Testing

/// Where an access key for S3 is found.
struct AccessKeyTests {
  private let environment = ["AWS_ACCESS_KEY_ID": "AKID", "AWS_SECRET_ACCESS_KEY": "hidden"]

  private static let files = [
    "/home/a/.aws/credentials": """
    # a comment
    [default]
    aws_access_key_id = KEY
    aws_secret_access_key=a/b+c=
    [work]
    aws_access_key_id = WORK
    aws_secret_access_key = w
    aws_session_token = token
    [half]
    aws_access_key_id = HALF
    """,
    "/home/a/.aws/config": """
    [default]
    region = eu-west-1
    s3 =
      region = none
    [profile work]
    region = ap-south-1
    """,
  ]

  private func find(
    _ environment: [String: String], _ files: [String: String] = files
  ) -> Login? {
    Login.accessKey(in: ["HOME": "/home/a"].merging(environment) { $1 }) { files[$0] }
  }

  @Test func `the environment comes first`() {
    #expect(
      find(environment)
        == Login(user: "AKID", password: "hidden", signing: .init(region: "eu-west-1")))
    let regions = ["AWS_REGION": "us-west-2", "AWS_SESSION_TOKEN": "t"]
    #expect(
      find(environment.merging(regions) { $1 })?.signing
        == .init(region: "us-west-2", sessionToken: "t"))
    #expect(find(environment, [:])?.signing?.region == "us-east-1")
  }

  @Test func `then the files of the tools`() {
    #expect(
      find([:]) == Login(user: "KEY", password: "a/b+c=", signing: .init(region: "eu-west-1")))
    #expect(
      find(["AWS_PROFILE": "work"])
        == Login(
          user: "WORK", password: "w", signing: .init(region: "ap-south-1", sessionToken: "token")))
    let elsewhere = ["AWS_SHARED_CREDENTIALS_FILE": "/k", "AWS_CONFIG_FILE": "/c"]
    let keys = "[default]\naws_access_key_id=K\naws_secret_access_key=S"
    let moved = ["/k": keys, "/c": "[default]\nregion=r"]
    #expect(find(elsewhere, moved)?.user == "K")
    #expect(find(elsewhere, moved)?.signing?.region == "r")
    // They may be in the file of the region too.
    #expect(find([:], ["/home/a/.aws/config": keys])?.user == "K")
  }

  @Test(arguments: [
    ["AWS_PROFILE": "none"], ["AWS_PROFILE": "half"], ["AWS_ACCESS_KEY_ID": ""],
    ["AWS_ACCESS_KEY_ID": "AKID"],
  ])
  func `without a whole key nothing is signed`(environment: [String: String]) {
    #expect(find(environment) == nil)
  }

  @Test(arguments: ["eu:x", "EU", "a b", "é"])
  func `a region that cannot be signed for is refused`(region: String) {
    #expect(find(environment.merging(["AWS_REGION": region]) { $1 }) == nil)
  }
}
