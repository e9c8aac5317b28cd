package roles

import (
	"encoding/json"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

// TechStack is what the repository's manifests say it is built with.
type TechStack struct {
	Languages      []string          `json:"languages"`
	Frameworks     []string          `json:"frameworks"`
	Databases      []string          `json:"databases"`
	Infrastructure []string          `json:"infrastructure"`
	Versions       map[string]string `json:"versions,omitempty"`
	Manifests      []string          `json:"manifests,omitempty"`
}

// manifest tells a language by a file of the build.
type manifest struct {
	name     string // file name, or a pattern of path.Match
	language string
	version  *regexp.Regexp // of the language
	deps     *regexp.Regexp // name and, where there is one, version
}

var manifests = []manifest{
	{"go.mod", "Go", regexp.MustCompile(`(?m)^go (\S+)`), regexp.MustCompile(`(?m)^\s*(?:require\s+)?([\w.-]+\.[\w.-]+/\S+) v(\S+)(?:\s*//.*)?$`)},
	{"package.json", "JavaScript", regexp.MustCompile(`"node"\s*:\s*"([^"]+)"`), nil},
	{"tsconfig.json", "TypeScript", nil, nil},
	{"pyproject.toml", "Python", regexp.MustCompile(`(?m)^(?:requires-python|python)\s*=\s*"([^"]+)"`), regexp.MustCompile(`(?m)^\s*"?([A-Za-z][\w.-]+)(?:\[[^\]]*\])?"?\s*(?:=\s*"|[=~><!]=\s*)\^?([\w.*]+)`)},
	{"requirements.txt", "Python", nil, regexp.MustCompile(`(?m)^([A-Za-z][\w.-]+)(?:\[[^\]]*\])?\s*(?:[=~><!]=\s*([\w.*]+))?`)},
	{"setup.py", "Python", regexp.MustCompile(`python_requires\s*=\s*['"]([^'"]+)`), nil},
	{"pom.xml", "Java", regexp.MustCompile(`<(?:java\.version|maven\.compiler\.(?:source|release))>([^<]+)<`), regexp.MustCompile(`<artifactId>([^<]+)</artifactId>\s*(?:<version>([^<$]+)</version>)?`)},
	{"build.gradle", "Java", regexp.MustCompile(`sourceCompatibility\s*=\s*['"]?([\w.]+)`), regexp.MustCompile(`['"][\w.-]+:([\w.-]+):([\w.-]+)['"]`)},
	{"build.gradle.kts", "Java", regexp.MustCompile(`JavaLanguageVersion\.of\((\d+)\)`), regexp.MustCompile(`"[\w.-]+:([\w.-]+):([\w.-]+)"`)},
	{"Cargo.toml", "Rust", regexp.MustCompile(`(?m)^rust-version\s*=\s*"([^"]+)"`), regexp.MustCompile(`(?m)^([a-z][\w-]+)\s*=\s*(?:"([^"]+)"|\{[^}]*version\s*=\s*"([^"]+)")`)},
	{"Gemfile", "Ruby", regexp.MustCompile(`(?m)^ruby ['"]([^'"]+)`), regexp.MustCompile(`(?m)^\s*gem ['"]([^'"]+)['"](?:\s*,\s*['"][~><= ]*([\w.]+))?`)},
	{"composer.json", "PHP", regexp.MustCompile(`"php"\s*:\s*"([^"]+)"`), regexp.MustCompile(`"([\w-]+/[\w-]+)"\s*:\s*"([^"]+)"`)},
	{"*.csproj", "C#", regexp.MustCompile(`<TargetFrameworks?>([^<]+)<`), regexp.MustCompile(`PackageReference Include="([^"]+)"(?: Version="([^"]+)")?`)},
	{"Dockerfile", "", nil, nil},
	{"docker-compose.yml", "", nil, nil},
	{"compose.yaml", "", nil, nil},
}

// known names what a dependency or an image stands for.
var known = []struct{ group, name, match string }{
	{"framework", "Gin", `github.com/gin-gonic/gin`}, {"framework", "Echo", `labstack/echo`}, {"framework", "React", `react`},
	{"framework", "Next.js", `next`}, {"framework", "Vue", `vue`}, {"framework", "Svelte", `svelte`}, {"framework", "Angular", `@angular/core`},
	{"framework", "Express", `express`}, {"framework", "NestJS", `@nestjs/core`}, {"framework", "Fastify", `fastify`}, {"framework", "Django", `django`},
	{"framework", "Flask", `flask`}, {"framework", "FastAPI", `fastapi`}, {"framework", "Spring Boot", `spring-boot`}, {"framework", "Spring Boot", `spring-boot-starter-web`},
	{"framework", "Quarkus", `quarkus-core`}, {"framework", "Axum", `axum`}, {"framework", "Actix", `actix-web`}, {"framework", "Rails", `rails`},
	{"framework", "Sinatra", `sinatra`}, {"framework", "Laravel", `laravel/framework`}, {"framework", "Symfony", `symfony/framework-bundle`},
	{"framework", "ASP.NET Core", `microsoft.aspnetcore`}, {"framework", "Tailwind CSS", `tailwindcss`}, {"framework", "Vite", `vite`},
	{"database", "PostgreSQL", `github.com/lib/pq`}, {"database", "PostgreSQL", `github.com/jackc/pgx`}, {"database", "PostgreSQL", `pg`}, {"database", "PostgreSQL", `psycopg`}, {"database", "PostgreSQL", `psycopg2`},
	{"database", "PostgreSQL", `postgresql`}, {"database", "PostgreSQL", `postgres`}, {"database", "MySQL", `mysql`}, {"database", "MySQL", `mysql2`}, {"database", "MySQL", `mysql-connector-j`},
	{"database", "SQLite", `sqlite3`}, {"database", "SQLite", `github.com/mattn/go-sqlite3`}, {"database", "SQLite", `better-sqlite3`}, {"database", "Redis", `redis`},
	{"database", "Redis", `github.com/redis/go-redis`}, {"database", "Redis", `ioredis`}, {"database", "MongoDB", `mongodb`}, {"database", "MongoDB", `mongoose`}, {"database", "MongoDB", `mongo`},
	{"infrastructure", "Kafka", `kafka`}, {"infrastructure", "Kafka", `kafkajs`}, {"infrastructure", "RabbitMQ", `amqplib`}, {"infrastructure", "RabbitMQ", `rabbitmq`}, {"infrastructure", "Sidekiq", `sidekiq`}, {"infrastructure", "Celery", `celery`},
}

const manifestSize = 512 << 10

// detectStack reads the manifests among the files; nil when there is none and
// so no code base.
func detectStack(repo fs.FS, files []string) *TechStack {
	s := &TechStack{Languages: []string{}, Frameworks: []string{}, Databases: []string{}, Infrastructure: []string{}, Versions: map[string]string{}}
	for _, file := range files {
		if strings.Count(file, "/") > 2 {
			continue
		}
		for _, m := range manifests {
			if ok, err := path.Match(m.name, path.Base(file)); err == nil && ok {
				s.read(repo, file, m)
			}
		}
	}
	s.workflows(files)
	if slices.Contains(s.Languages, "TypeScript") {
		s.Languages = slices.DeleteFunc(s.Languages, func(l string) bool { return l == "JavaScript" })
	}
	if len(s.Languages) == 0 {
		return nil
	}
	return s
}

func (s *TechStack) read(repo fs.FS, file string, m manifest) {
	content, ok := readSmall(repo, file, manifestSize)
	if !ok {
		return
	}
	s.Manifests = once(s.Manifests, file)
	text := string(content)
	if m.language == "" {
		s.Infrastructure = once(s.Infrastructure, "Docker")
		for _, image := range regexp.MustCompile(`(?mi)^\s*(?:image:|FROM)\s*([\w./-]+?)(?::([\w.-]+))?\s*$`).FindAllStringSubmatch(text, 40) {
			s.dependency(path.Base(image[1]), image[2])
		}
		return
	}
	s.Languages = once(s.Languages, m.language)
	if m.version != nil {
		if v := m.version.FindStringSubmatch(text); v != nil {
			s.version(m.language, v[1])
		}
	}
	if path.Base(file) == "package.json" {
		s.npm(content)
		return
	}
	if m.deps != nil {
		for _, d := range m.deps.FindAllStringSubmatch(text, 400) {
			s.dependency(d[1], firstOf(d[2:]...))
		}
	}
}

func (s *TechStack) npm(content []byte) {
	var pkg struct {
		Dependencies    map[string]string `json:"dependencies"`
		DevDependencies map[string]string `json:"devDependencies"`
	}
	// A package.json that does not parse names no dependency.
	if json.Unmarshal(content, &pkg) != nil {
		return
	}
	for _, deps := range []map[string]string{pkg.Dependencies, pkg.DevDependencies} {
		for _, name := range sortedKeys(deps) {
			s.dependency(name, deps[name])
			if name == "typescript" {
				s.Languages = once(s.Languages, "TypeScript")
				s.version("TypeScript", deps[name])
			}
		}
	}
}

func (s *TechStack) dependency(name, version string) {
	name = strings.ToLower(name)
	for _, k := range known {
		if name != k.match && !(strings.Contains(k.match, "/") && strings.HasPrefix(name, k.match+"/")) && !strings.HasPrefix(name, k.match+".") {
			continue
		}
		switch k.group {
		case "framework":
			s.Frameworks = once(s.Frameworks, k.name)
		case "database":
			s.Databases = once(s.Databases, k.name)
		case "infrastructure":
			s.Infrastructure = once(s.Infrastructure, k.name)
		}
		s.version(k.name, version)
	}
}

func (s *TechStack) version(of, v string) {
	v = strings.TrimSpace(strings.TrimLeft(v, "^~>=< v"))
	if v != "" && v != "*" && s.Versions[of] == "" {
		s.Versions[of] = v
	}
}

func (s *TechStack) workflows(files []string) {
	for prefix, name := range map[string]string{".github/workflows/": "GitHub Actions", "k8s/": "Kubernetes", "charts/": "Helm", "terraform/": "Terraform"} {
		if slices.ContainsFunc(files, func(f string) bool { return strings.HasPrefix(f, prefix) }) {
			s.Infrastructure = once(s.Infrastructure, name)
		}
	}
	slices.Sort(s.Infrastructure)
}

func once(list []string, v string) []string {
	if v == "" || slices.Contains(list, v) {
		return list
	}
	return append(list, v)
}
