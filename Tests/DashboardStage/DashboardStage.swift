@main
struct DashboardStage {
  static func main() {}
}
