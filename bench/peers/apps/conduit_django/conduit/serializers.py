"""What goes in and out."""

from django.contrib.auth import authenticate, password_validation
from rest_framework import serializers
from rest_framework.authtoken.models import Token
from rest_framework.exceptions import AuthenticationFailed

from .models import Article, Comment, User


class UserSerializer(serializers.ModelSerializer):
    password = serializers.CharField(write_only=True, max_length=128, required=False)
    token = serializers.SerializerMethodField()

    class Meta:
        model = User
        fields = ["email", "username", "bio", "image", "password", "token"]

    def get_token(self, user):
        return Token.objects.get_or_create(user=user)[0].key

    def validate_email(self, email):
        return email.lower()

    def validate(self, given):
        if "password" in given:
            password_validation.validate_password(given["password"], User(**given))
        return given

    def create(self, given):
        return User.objects.create_user(given["email"], given["username"], given["password"])

    def update(self, user, given):
        if password := given.pop("password", None):
            user.set_password(password)
            Token.objects.filter(user=user).delete()
        return super().update(user, given)


class RegistrationSerializer(UserSerializer):
    password = serializers.CharField(write_only=True, max_length=128)


class LoginSerializer(serializers.Serializer):
    email = serializers.CharField(max_length=254)
    password = serializers.CharField(max_length=128)

    def validate(self, given):
        user = authenticate(username=given["email"].lower(), password=given["password"])
        if user is None:
            raise AuthenticationFailed("Invalid email or password")
        return {"user": user}


class ProfileSerializer(serializers.ModelSerializer):
    following = serializers.SerializerMethodField()

    class Meta:
        model = User
        fields = ["username", "bio", "image", "following"]

    def get_following(self, profile):
        if hasattr(self.parent, "is_followed"):
            return self.parent.is_followed
        user = self.context["request"].user
        return user.is_authenticated and user.follows.filter(pk=profile.pk).exists()


class WithAuthor(serializers.ModelSerializer):
    createdAt = serializers.DateTimeField(source="created_at", read_only=True)
    updatedAt = serializers.DateTimeField(source="updated_at", read_only=True)
    author = ProfileSerializer(read_only=True)

    def to_representation(self, row):
        self.is_followed = getattr(row, "followed", False)
        return super().to_representation(row)


class ArticleSerializer(WithAuthor):
    tagList = serializers.ListField(
        source="tags", child=serializers.CharField(max_length=60), max_length=20, required=False
    )
    favorited = serializers.BooleanField(read_only=True)
    favoritesCount = serializers.IntegerField(source="favorites_count", read_only=True)

    class Meta:
        model = Article
        fields = [
            "slug",
            "title",
            "description",
            "body",
            "tagList",
            "createdAt",
            "updatedAt",
            "favorited",
            "favoritesCount",
            "author",
        ]

    def validate_tagList(self, tags):
        return sorted(set(tags))

    def create(self, given):
        article = Article(**given)
        article.name()
        article.save()
        return article

    def update(self, article, given):
        for name, value in given.items():
            setattr(article, name, value)
        if "title" in given:
            article.name()
        article.save()
        return article


class ListedArticleSerializer(ArticleSerializer):
    class Meta(ArticleSerializer.Meta):
        fields = [each for each in ArticleSerializer.Meta.fields if each != "body"]


class CommentSerializer(WithAuthor):
    class Meta:
        model = Comment
        fields = ["id", "createdAt", "updatedAt", "body", "author"]
